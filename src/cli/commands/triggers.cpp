// `headwater triggers`: patterns a model is over-confident about, and what they do to other inputs.
#include <memory>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/commands/command.h"
#include "cli/labelled_reader.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/repeat.h"
#include "report/charts.h"
#include "report/heads_text.h"
#include "report/plan_text.h"
#include "report/provenance.h"

namespace headwater {
namespace {

constexpr const char* formats = "text|json|csv|svg";

struct Options {
  ModelOptions model;
  OutputOptions output;
  LabelledOptions input{.corpus = {}, .limit = 0};
  TriggerOptions triggers;
  MemoryOption max_memory;
  bool dry_run = false;
};

std::string formatted(const TriggerReport& report, const std::string& command, const std::string& format,
                      const TerminalFormat& terminal) {
  if (format == "json") return triggers_json(report, command);
  if (format == "csv") return triggers_csv(report);
  if (format == "svg") return triggers_svg(report, provenance_json(report.checks, report.record, command));
  return triggers_text(report, command, terminal);
}

int run(const Options& options, const Arguments& given) {
  const std::string format = options.output.chosen_format(formats, ".txt=text");
  const std::vector<LabelledInput> inputs = options.input.read(options.output);
  Output output(options.output.path);
  const Engine engine = options.model.load();
  const std::size_t max_memory = options.max_memory.bytes();
  if (options.dry_run) {
    const LabelledPlan plan = engine.plan_triggers(inputs, options.triggers, max_memory);
    const std::string patterns = fmt::format("{} per label", options.triggers.patterns);
    output.write(labelled_plan_text(plan, engine.info(), {"patterns", {patterns}}, format));
    output.finish();
    return 0;
  }
  ProgressLine progress(options.output.quiet);
  const TriggerReport report =
      engine.triggers(inputs, options.triggers,
                      {.max_memory = max_memory, .progress = [&](const Progress& p) { progress.show(p); }});
  progress.clear();
  const std::string made = formatted(report, repeat_command("triggers", given, report.record), format,
                                     terminal_of(output, options.output.colour));
  format == "text" ? output.write_text(made) : output.write(made);
  output.finish();
  if (output.is_file()) options.output.say(fmt::format("written: {}", options.output.path));
  return 0;
}

std::function<int()> setup(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  const auto option = [&arguments](const char* name, auto& value, const char* help, const char* text,
                                   const char* group) {
    return arguments.add(name, value, help).value(text).group(group);
  };
  add_labelled_options(arguments, options->input, "Inputs read");
  option("--sources", options->triggers.inputs, "Inputs the patterns are taken from (default 500)", "N",
         "Input");
  option("--shortest", options->triggers.shortest, "Tokens an input needs to give a pattern", "N", "Input");
  option("--patterns", options->triggers.patterns, "Patterns tried per label (default 3)", "N", "Methods");
  option("--least", options->triggers.least, "Attribution a pattern needs (default 0.02)", "SUM", "Methods");
  option("--second", options->triggers.second,
         "The second pair counts from this share of the first on (default 0.2)", "SHARE", "Methods");
  option("--tolerance", options->triggers.tolerance,
         "Error allowed in an attribution, as a share of its layer's largest (default 0.001)", "SHARE",
         "Methods");
  add_model_options(arguments, options->model);
  add_memory_option(arguments, options->max_memory);
  add_output_options(arguments, options->output, formats);
  add_dry_run_option(arguments, options->dry_run);
  return [options, given = arguments] { return run(*options, given); };
}

}  // namespace

extern const Command triggers{.name = "triggers",
                              .summary = "Token patterns a model is over-confident about",
                              .group = "Use a model",
                              .setup = setup};

}  // namespace headwater
