// `headwater predict`: what the model says, for one text or for a stream of them.
//
// A stream is read in chunks: the engine batches texts of equal length inside a chunk, results leave in the
// order of the inputs, and memory does not grow with the file.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <headwater/engine.h>
#include <headwater/formats.h>

#include "cli/command.h"
#include "cli_support/arguments.h"
#include "cli_support/dry_run.h"
#include "cli_support/input_reader.h"
#include "cli_support/options.h"
#include "cli_support/output.h"
#include "cli_support/prediction_writer.h"

namespace headwater {
namespace {

constexpr const char* formats = "text|json|jsonl|csv";
constexpr std::size_t chunk_inputs = 512;
constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

struct Options {
  ModelOptions model;
  InputOptions input;
  OutputOptions output;
  PredictOptions predict;
  bool tokens = false;
  bool dry_run = false;
};

struct Chunk {
  std::vector<Input> inputs;
  std::vector<std::string> where;
};

Chunk next_chunk(InputReader& reader) {
  Chunk chunk;
  std::size_t bytes = 0;
  while (chunk.inputs.size() < chunk_inputs && bytes < chunk_bytes) {
    std::optional<Input> input = reader.next();
    if (!input) break;
    bytes += input->text.size() + input->pair.value_or("").size();
    chunk.inputs.push_back(std::move(*input));
    chunk.where.push_back(reader.where());
  }
  return chunk;
}

// One by one, after the chunk as a whole was refused: everything before the culprit is still answered,
// and the message names its line.
void write_until_error(const Engine& engine, const Chunk& chunk, const Options& options,
                       PredictionWriter& writer) {
  for (std::size_t i = 0; i < chunk.inputs.size(); ++i) {
    try {
      writer.write(chunk.inputs[i], engine.predict(chunk.inputs[i], options.predict));
    } catch (const InputError& error) {
      writer.flush();
      throw InputError(chunk.where[i].empty() ? error.what()
                                              : fmt::format("{}: {}", chunk.where[i], error.what()));
    }
  }
}

void predict_all(const Engine& engine, InputReader& reader, const Options& options,
                 PredictionWriter& writer) {
  for (Chunk chunk = next_chunk(reader); !chunk.inputs.empty(); chunk = next_chunk(reader)) {
    std::vector<Prediction> predictions;
    try {
      predictions = engine.predict(chunk.inputs, options.predict);
    } catch (const InputError&) {
      write_until_error(engine, chunk, options, writer);
      continue;
    }
    for (std::size_t i = 0; i < chunk.inputs.size(); ++i) writer.write(chunk.inputs[i], predictions[i]);
    writer.flush();
  }
}

int run(const Options& options) {
  const std::string format = options.output.chosen_format(formats, ".txt=text .ndjson=jsonl");
  InputReader reader(options.input);
  Output output(options.output.path);
  const Engine engine = options.model.load();
  if (options.dry_run) {
    const std::optional<Input> input = reader.next();
    if (!input) throw InputError("--dry-run: expected an input to plan for, found none");
    output.write(dry_run(engine, {.input = *input, .target = {}, .methods = {}}, format));
    output.finish();
    return 0;
  }
  PredictionWriter writer(output, {.format = format,
                                   .tokens = options.tokens,
                                   .many = !reader.from_arguments() || options.input.images.size() > 1,
                                   .colour = options.output.colour});
  predict_all(engine, reader, options, writer);
  writer.finish();
  return 0;
}

std::function<int()> setup(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  add_input_options(arguments, options->input);
  add_model_options(arguments, options->model);
  arguments.add("--top", options->predict.top, "Scores shown of a vocabulary (default 5)")
      .value("N")
      .range(1, 1 << 20)
      .group("Prediction");
  arguments
      .add("--max-new-tokens", options->predict.max_new_tokens, "Continue a text greedily by so many tokens")
      .value("N")
      .range(0, 1 << 20)
      .group("Prediction");
  add_output_options(arguments, options->output, formats);
  add_colour_option(arguments, options->output);
  arguments.add("--tokens", options->tokens, "With the tokens, in json and jsonl").group("Output");
  add_dry_run_option(arguments, options->dry_run);
  return [options] { return run(*options); };
}

}  // namespace

extern const Command predict{.name = "predict",
                             .summary = "What the model says about a text or an image",
                             .group = "Use a model",
                             .setup = setup};

}  // namespace headwater
