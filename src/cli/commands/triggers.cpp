// `headwater triggers`: patterns a model is over-confident about, and what they do to other inputs.
#include <fmt/format.h>

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

namespace headwater {
namespace {

struct Options : RunOptions {
  LabelledOptions input{.corpus = {}, .limit = 0};
  TriggerOptions triggers;
};

std::string shown(const TriggerReport& report, const std::string& command, const std::string& format,
                  const TerminalFormat& terminal) {
  if (format == "svg") return triggers_svg(report, provenance_json(report.checks, report.record, command));
  return formatted(triggers_document(report, command), format, terminal);
}

int run(const Options& options, const Arguments& given) {
  const std::string format = options.output.chosen_format(charted_formats, document_endings);
  const std::vector<LabelledInput> inputs = options.input.read(options.output);
  Output output(options.output.path);
  const Engine engine = options.model.load(options.output);
  const std::size_t max_memory = options.max_memory.bytes();
  if (options.dry_run) {
    const LabelledPlan plan = engine.plan_triggers(inputs, options.triggers, max_memory);
    const std::string patterns = fmt::format("{} per label", options.triggers.patterns);
    return finish_with(output, labelled_plan_text(plan, engine.info(), {"patterns", {patterns}}, format));
  }
  ProgressLine progress(options.output.quiet);
  const TriggerReport report =
      engine.triggers(inputs, options.triggers,
                      {.max_memory = max_memory, .progress = [&](const Progress& p) { progress.show(p); }});
  progress.clear();
  const std::string made = shown(report, repeat_command("triggers", given, report.record), format,
                                 terminal_of(output, options.output.colour));
  if (format != "text") return finish_with(output, made, options.output);
  output.write_text(made);
  return finish_with(output, "", options.output);
}

void declare(Arguments& arguments, Options& options) {
  TriggerOptions& triggers = options.triggers;
  add_labelled_options(arguments, options.input, "Inputs read");
  arguments.add("--sources N", triggers.inputs,
                "Number of inputs from which patterns are taken (default 500)");
  arguments.add("--shortest N", triggers.shortest,
                "Smallest number of tokens of an input that gives a pattern");
  arguments.under("Methods").add("--patterns N", triggers.patterns,
                                 "Number of patterns tried per label (default 3)");
  arguments.add("--least SUM", triggers.least, "Smallest attribution of a pattern (default 0.02)");
  arguments.add("--second SHARE", triggers.second,
                "Smallest attribution of the second pair, as a share of the first (default 0.2)");
  arguments.add("--tolerance SHARE", triggers.tolerance,
                "Allowed error of an attribution, as a share of its layer's largest (default 0.001)");
  add_model_options(arguments, options.model);
  add_run_options(arguments, options, charted_formats);
}

}  // namespace

extern const Command triggers{.name = "triggers",
                              .summary = "Find token patterns that make a model over-confident",
                              .group = "Use a model",
                              .setup = set_up<declare, run>};

}  // namespace headwater
