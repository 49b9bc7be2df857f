// `headwater predict`: what the model says, for one text or for a stream of them.
//
// A stream is read in chunks: the engine batches texts of equal length inside a chunk, results leave in the
// order of the inputs, and memory does not grow with the file.
#include <map>
#include <string>
#include <vector>

#include <headwater/engine.h>

#include "cli/accuracy.h"
#include "cli/commands/command.h"
#include "cli/corpus_run.h"
#include "cli/options.h"
#include "prose/prediction_writer.h"

namespace headwater {
namespace {

constexpr const char* formats = "text|json|jsonl|csv";
constexpr std::size_t chunk_inputs = 512;
constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

struct Options {
  ModelOptions model;
  InputOptions input;
  OutputOptions output;
  CorpusRunOptions corpus;
  PredictOptions predict;
  std::string prefix;
  std::map<std::string, std::string> gold_labels;
  bool tokens = false;
  bool dry_run = false;
};

using Chunk = std::vector<CorpusRun::Item>;

Chunk next_chunk(CorpusRun& run, const std::string& prefix) {
  Chunk chunk;
  std::size_t bytes = 0;
  while (chunk.size() < chunk_inputs && bytes < chunk_bytes) {
    std::optional<CorpusRun::Item> item = run.next();
    if (!item) break;
    bytes += item->example.input.text.size() + item->example.input.pair.value_or("").size();
    item->example.input.prefix = prefix;
    chunk.push_back(std::move(*item));
  }
  return chunk;
}

// Batches of equal length; nothing if one of the inputs is refused.
std::vector<Prediction> predict_together(const Engine& engine, const Chunk& chunk,
                                         const PredictOptions& options) {
  std::vector<Input> inputs;
  for (const CorpusRun::Item& item : chunk) {
    if (item.error) return {};
    inputs.push_back(item.example.input);
  }
  try {
    return engine.predict(inputs, options);
  } catch (const Error&) {
    return {};
  }
}

void predict_all(const Engine& engine, CorpusRun& run, const Options& options, PredictionWriter& writer,
                 Accuracy& accuracy) {
  for (Chunk chunk = next_chunk(run, options.prefix); !chunk.empty();
       chunk = next_chunk(run, options.prefix)) {
    const std::vector<Prediction> together = predict_together(engine, chunk, options.predict);
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      const CorpusRun::Item& item = chunk[i];
      try {
        // One by one where the chunk was refused: all but the culprit are still answered, and its line is
        // named.
        if (item.error) std::rethrow_exception(item.error);
        const Prediction prediction =
            together.empty() ? engine.predict(item.example.input, options.predict) : together[i];
        run.progress().clear();
        writer.write(item.example.input, item.example.gold, prediction,
                     [&](const std::string& object) { return run.json_line(item, object); });
        accuracy.add(item.example.gold, prediction);
      } catch (const Error&) {
        run.output().flush();
        run.fail(item, std::current_exception());
        continue;
      }
      run.done();
    }
    run.output().flush();
  }
}

int run(const Options& options) {
  const std::string format = options.output.chosen_format(formats, ".txt=text .ndjson=jsonl");
  CorpusRun corpus(options.input, options.output, options.corpus, options.dry_run ? "text" : format);
  const Engine engine = options.model.load(options.output);
  corpus.open(engine, "predict");
  if (options.dry_run) {
    const std::optional<CorpusRun::Item> item = corpus.next();
    if (!item) throw InputError("--dry-run: expected an input to plan for, found none");
    corpus.output().write(
        dry_run(engine, {.input = item->example.input, .target = {}, .methods = {}}, format));
    return corpus.finish();
  }
  PredictionWriter writer(
      [&](std::string_view text) { corpus.output().write(text); },
      {.format = format,
       .tokens = options.tokens,
       .many = !corpus.reader().from_arguments() || options.input.images.size() > 1,
       .gold = corpus.reader().corpus() != nullptr && corpus.reader().corpus()->has_labels(),
       .terminal = terminal_of(corpus.output(), options.output.colour)});
  Accuracy accuracy(engine.info(), options.gold_labels);
  predict_all(engine, corpus, options, writer, accuracy);
  if (corpus.nothing_done()) throw InputError("expected a text, found an empty input");
  writer.end_list();
  const int code = corpus.finish();
  if (const std::string text = accuracy.text(); !text.empty()) options.output.say(text);
  return code;
}

void declare(Arguments& arguments, Options& options) {
  add_input_options(arguments, options.input);
  add_shard_option(arguments, options.input.corpus.shard);
  add_gold_label_option(arguments, options.gold_labels);
  add_model_options(arguments, options.model);
  arguments.under("Prediction")
      .add("--top N", options.predict.top, "Number of scores to show for a vocabulary (default 5)")
      .range(1, 1 << 20);
  arguments.add("--max-new-tokens N", options.predict.max_new_tokens, "Write up to N tokens greedily")
      .range(0, 1 << 20);
  arguments.add("--beams N", options.predict.beams, "Write with beam search over N beams (default 1: greedy)")
      .range(1, 1 << 10);
  arguments.add("--prefix TEXT", options.prefix, "The beginning of an encoder–decoder's output");
  add_output_options(arguments, options.output, formats);
  add_corpus_run_options(arguments, options.corpus);
  add_colour_option(arguments, options.output);
  arguments.add("--tokens", options.tokens, "Add the tokens, in json and jsonl");
  add_dry_run_option(arguments, options.dry_run);
}

}  // namespace

extern const Command predict{.name = "predict",
                             .summary = "Print the model's prediction for a text or an image",
                             .group = "Use a model",
                             .setup = set_up<declare, run>};

}  // namespace headwater
