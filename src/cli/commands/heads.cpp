// `headwater heads`: how important every attention head is for a labelled file.
#include "base/strings.h"
#include "cli/commands/command.h"
#include "cli/labelled_reader.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/repeat.h"
#include "drawing/charts.h"
#include "files/record_json.h"
#include "prose/heads_text.h"
#include "prose/plan_text.h"
#include "result/many_inputs.h"

namespace headwater {
namespace {

struct Options : RunOptions {
  LabelledOptions input{.corpus = {}, .limit = 200};
  std::string rankings = "attattr,attention,taylor";
};

std::string plan_text(const Engine& engine, std::span<const LabelledInput> inputs, const Options& options,
                      const std::string& format) {
  const std::vector<std::string> names = split(options.rankings, ',');
  std::vector<LabelledPlan> plans;
  for (const std::string& ranking : names)
    plans.push_back(engine.plan_head_importance(inputs, ranking, options.max_memory.bytes()));
  return labelled_plan_text(joined_plans(plans), engine.info(), {"rankings", names}, format);
}

std::string shown(const std::vector<HeadImportance>& rankings, const std::string& command,
                  const std::string& format, const TerminalFormat& terminal) {
  if (format == "svg")
    return heads_svg(rankings, provenance_json(checks_of(rankings), record_of(rankings), command));
  return formatted(heads_document(rankings, command), format, terminal);
}

int run(const Options& options, const Arguments& given) {
  const std::string format = options.output.chosen_format(charted_formats, document_endings);
  const std::vector<LabelledInput> inputs = options.input.read(options.output);
  Output output(options.output.path);
  const Engine engine = options.model.load(options.output);
  if (options.dry_run) return finish_with(output, plan_text(engine, inputs, options, format));
  ProgressLine progress(options.output.quiet);
  const LabelledRun how{.max_memory = options.max_memory.bytes(),
                        .progress = [&](const Progress& p) { progress.show(p); }};
  std::vector<HeadImportance> rankings;
  for (const std::string& ranking : split(options.rankings, ','))
    rankings.push_back(engine.head_importance(inputs, ranking, how));
  progress.clear();
  const std::string command = repeat_command("heads", given, rankings.front().record);
  return finish_with(output, shown(rankings, command, format, terminal_of(output, options.output.colour)),
                     options.output);
}

void declare(Arguments& arguments, Options& options) {
  add_labelled_options(arguments, options.input, "Number of inputs to use, from the first");
  add_rankings_option(arguments, options.rankings);
  add_model_options(arguments, options.model);
  add_memory_option(arguments, options.max_memory);
  add_output_options(arguments, options.output, charted_formats);
  add_colour_option(arguments, options.output);
  add_dry_run_option(arguments, options.dry_run);
}

}  // namespace

extern const Command heads{.name = "heads",
                           .summary = "Measure how important every attention head is",
                           .group = "Use a model",
                           .setup = set_up<declare, run>};

}  // namespace headwater
