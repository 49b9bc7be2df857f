// `headwater tree`: how tokens pass on what the prediction rests on, as an attribution tree.
#include <fmt/format.h>
#include <headwater/engine.h>

#include "base/strings.h"
#include "cli/commands/command.h"
#include "cli/input_reader.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/repeat.h"
#include "drawing/charts.h"
#include "files/record_json.h"
#include "prose/tree_text.h"
#include "result/grown_tree.h"

namespace headwater {
namespace {

constexpr const char* formats = "text|json|svg";

struct Options : RunOptions {
  InputOptions input;
  TargetSpec target;
  TreeOptions tree;
};

std::string formatted(const GrownTree& grown, const std::string& format, const TerminalFormat& terminal) {
  if (format == "json") return tree_json(grown);
  if (format == "svg") return tree_svg(grown);
  return tree_text(grown, terminal);
}

// The input itself stands in the command, wherever it was read.
std::string command_of(const Arguments& given, const Report& report, const Request& request) {
  const Input& input = request.input;
  std::string command =
      repeat_command("tree", given, report.record,
                     {"text", "--file", "--input-format", "--header", "--text-column", "--pair-column",
                      "--label-column", "--pair", "--image", "--target", "--contrast", "--position"});
  if (!request.target.label.empty()) command += " --target " + shell_quoted(request.target.label);
  if (!request.target.contrast.empty()) command += " --contrast " + shell_quoted(request.target.contrast);
  if (request.target.position) command += fmt::format(" --position {}", *request.target.position);
  if (!input.image.empty()) return command + " --image " + shell_quoted(input.image);
  return command + (input.pair ? " --pair " + shell_quoted(*input.pair) : "") + " -- " +
         shell_quoted(input.text);
}

TargetSpec target_in_file(const Example& example, TargetSpec given) {
  if (example.targets.size() > 1)
    throw InputError(fmt::format("target: expected one for a tree, found {}", example.targets.size()));
  if (!example.targets.empty()) given.label = example.targets.front();
  if (!example.contrast.empty()) given.contrast = example.contrast;
  if (example.position) given.position = example.position;
  return given;
}

int run(const Options& options, const Arguments& given) {
  const std::string format = options.output.chosen_format(formats, ".txt=text");
  InputReader reader(options.input);
  const std::optional<Example> example = reader.next();
  if (!example) throw InputError("expected a text, found an empty input");
  require_text(example->input);
  reader.expect_last("a tree, found another");
  Output output(options.output.path);
  const Engine engine = options.model.load(options.output);
  ProgressLine progress(options.output.quiet);
  const Request request{.input = example->input,
                        .target = target_in_file(*example, options.target),
                        .max_memory = options.max_memory.bytes(),
                        .progress = [&](const Progress& p) { progress.show(p); }};
  if (options.dry_run) return finish_with(output, dry_run(engine, tree_request(request), format));
  const TreeReport made = engine.tree(request, options.tree);
  progress.clear();
  for (const Check& check : made.checks)
    if (!check.passed)
      options.output.say(fmt::format("warning: a check failed: {} ({:.1e}, bound {:.1e})", check.name,
                                     check.value, check.bound));
  return finish_with(output,
                     formatted(grown(made, command_of(given, made.report, request)), format,
                               terminal_of(output, options.output.colour)),
                     options.output);
}

void declare(Arguments& arguments, Options& options) {
  add_input_options(arguments, options.input);
  add_model_options(arguments, options.model);
  arguments.under("Target").add("--target LABEL", options.target.label,
                                "Label or token to explain (default: the prediction)");
  add_target_options(arguments, options.target);
  arguments.under("Tree").add(
      "--tau SHARE", options.tree.tau,
      "Smallest attribution of an edge, as a share of its layer's largest (default 0.4)");
  arguments.add("--lambda SHARE", options.tree.lambda, "Cost of an edge, as such a share (default 0)");
  arguments.add("--published", options.tree.published, "Follow the steps of the paper's released script");
  add_run_options(arguments, options, formats);
}

}  // namespace

extern const Command tree{.name = "tree",
                          .summary = "Draw an attribution tree: which token passes information to which",
                          .group = "Use a model",
                          .setup = set_up<declare, run>};

}  // namespace headwater
