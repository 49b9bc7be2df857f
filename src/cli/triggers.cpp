// `headwater triggers`: patterns a model is over-confident about, and what they do to other inputs.
#include <memory>

#include "cli/command.h"
#include "cli_support/arguments.h"
#include "cli_support/heads_text.h"
#include "cli_support/labelled_reader.h"
#include "cli_support/options.h"
#include "cli_support/output.h"
#include "cli_support/progress.h"

namespace headwater {
namespace {

constexpr const char* formats = "text|json";

struct Options {
  ModelOptions model;
  OutputOptions output;
  LabelledOptions input{.corpus = {}, .limit = 0};
  TriggerOptions triggers;
};

int run(const Options& options) {
  const bool json = options.output.chosen_format(formats, ".txt=text") == "json";
  const std::vector<LabelledInput> inputs = options.input.read(options.output);
  Output output(options.output.path);
  const Engine engine = options.model.load();
  ProgressLine progress(options.output.quiet);
  const TriggerReport report =
      engine.triggers(inputs, options.triggers, [&](const Progress& p) { progress.show(p); });
  progress.clear();
  json ? output.write(triggers_json(report)) : output.write_text(triggers_text(report));
  output.finish();
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
  add_output_options(arguments, options->output, formats);
  return [options] { return run(*options); };
}

}  // namespace

extern const Command triggers{.name = "triggers",
                              .summary = "Token patterns a model is over-confident about",
                              .group = "Use a model",
                              .setup = setup};

}  // namespace headwater
