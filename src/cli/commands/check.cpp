// `headwater check`: does a model keep the promises that explanations rest on?
//
// Exit code 0: every property tested holds. 1: one does not.
#include <vector>

#include <headwater/engine.h>

#include "cli/commands/command.h"
#include "cli/input_reader.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/repeat.h"
#include "prose/check_writer.h"

namespace headwater {
namespace {

struct Options {
  ModelOptions model;
  InputOptions input;
  OutputOptions output;
};

// None where none were named: the model has its own then, and standard input is not waited for.
std::vector<Input> given_inputs(const InputOptions& options) {
  if (!options.text && options.corpus.file.empty() && options.images.empty()) return {};
  std::vector<Input> inputs = InputReader(options).rest();
  if (inputs.empty()) throw InputError("expected a text, found an empty input");
  return inputs;
}

int run(const Options& options, const Arguments& given) {
  const std::string format = options.output.chosen_format(document_formats, document_endings);
  const std::vector<Input> inputs = given_inputs(options.input);
  Output output(options.output.path);
  const Engine engine = options.model.load(options.output);
  ProgressLine progress(options.output.quiet);
  const ModelTest test = engine.check(inputs, [&](const Progress& p) { progress.show(p); });
  progress.clear();
  const std::string command = repeat_command("check", given, test.record);
  output.write(formatted(check_document(test, command), format, terminal_of(output, options.output.colour)));
  output.finish();
  return holds(test) ? 0 : 1;
}

void declare(Arguments& arguments, Options& options) {
  add_input_options(arguments, options.input);
  add_model_options(arguments, options.model);
  add_output_options(arguments, options.output, document_formats);
  add_colour_option(arguments, options.output);
}

}  // namespace

extern const Command check{.name = "check",
                           .summary = "Test whether a model has the properties that explanations rely on",
                           .group = "Use a model",
                           .setup = set_up<declare, run>};

}  // namespace headwater
