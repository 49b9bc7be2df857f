// `headwater diff`: two result files, or two models on the same texts, side by side.
//
// Exit code 0: equal within the tolerance. 1: different.
#include <fmt/format.h>

#include "base/files.h"
#include "base/strings.h"
#include "cli/commands/command.h"
#include "cli/input_reader.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "comparison/comparison_writer.h"
#include "comparison/models.h"

namespace headwater {
namespace {

struct Options {
  std::string first, second, methods;
  ModelOptions model;  // without a name: how both are loaded
  InputOptions input;
  OutputOptions output;
  CompareOptions compare;
  std::size_t rows = 10;
};

bool is_file(const std::string& path) {
  return file_exists(path) && !is_directory(path);
}

bool has_inputs(const InputOptions& input) {
  return !input.corpus.file.empty() || !input.images.empty();
}

Results model_results(const std::string& model, const std::vector<Input>& inputs, const Options& options,
                      ProgressLine& progress) {
  ModelOptions chosen = options.model;
  chosen.model = model;
  ModelResults how{.methods = {}, .progress = [&](const Progress& p) { progress.show(p); }};
  if (!options.methods.empty())
    for (const std::string& name : split(options.methods, ',')) how.methods.push_back({.name = name});
  Results results = results_of(chosen.load(), model, inputs, how);
  progress.clear();
  return results;
}

Comparison compared_models(const Options& options) {
  InputReader reader(options.input);
  if (const std::string text = reader.understood(); !text.empty()) options.output.say(text);
  const std::vector<Input> inputs = reader.rest();
  if (inputs.empty()) throw InputError("diff: expected inputs for the two models, found none");
  ProgressLine progress(options.output.quiet);
  const Results first = model_results(options.first, inputs, options, progress);
  return compare(first, model_results(options.second, inputs, options, progress), options.compare);
}

Comparison compared(const Options& options) {
  if (is_file(options.first) && is_file(options.second)) {
    if (has_inputs(options.input) || !options.methods.empty())
      throw InputError(
          "diff: expected no inputs or methods with two result files, found some; leave them out");
    return compare(read_results(options.first), read_results(options.second), options.compare);
  }
  if (has_inputs(options.input)) return compared_models(options);
  const std::string& missing = is_file(options.first) ? options.second : options.first;
  throw InputError(fmt::format(
      "{}: expected a result file, found none there; to compare two models give the inputs with --file",
      missing));
}

int run(const Options& options) {
  const std::string format = options.output.chosen_format(document_formats, document_endings);
  const Comparison comparison = compared(options);
  Output output(options.output.path);
  output.write(formatted(comparison_document(comparison, options.rows), format, {}));
  output.finish();
  return are_equal(comparison) ? 0 : 1;
}

void declare(Arguments& arguments, Options& options) {
  arguments.add("first A", options.first, "A result file (json, jsonl, npz, safetensors), or a model")
      .required();
  arguments.add("second B", options.second, "The other result file or model").required();
  arguments.under("Comparison")
      .add("--tolerance T", options.compare.tolerance,
           "Allowed difference, as a share of an array's largest number (default 1e-5)");
  arguments.under("Comparison")
      .add("--absolute T", options.compare.absolute, "Allowed absolute difference (default 0)");
  arguments.under("Comparison")
      .add("--rows N", options.rows, "Number of arrays to show, those that differ most first (default 10)");
  add_text_file_options(arguments, options.input);
  arguments.under("Input").add_repeated("--image FILES", options.input.images,
                                        "Pictures, to compare two image models");
  arguments.under("Methods").add("--method,--methods METHODS", options.methods,
                                 "Also compare explanations by these methods");
  arguments.under("Model")
      .add("--dtype float32|float64", options.model.dtype, "Working type of both models (default float32)")
      .choices();
  add_threads_option(arguments, options.model.threads);
  add_cache_dir_option(arguments, options.model.cache_dir);
  arguments.under("Model")
      .add("--revision REV", options.model.revision, "Branch, tag or commit of a cached model")
      .environment("HEADWATER_REVISION");
  add_output_options(arguments, options.output, document_formats);
}

}  // namespace

extern const Command diff{.name = "diff",
                          .summary = "Compare two result files, or two models on the same texts",
                          .group = "Use a model",
                          .setup = set_up<declare, run>};

}  // namespace headwater
