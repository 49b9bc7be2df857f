// `headwater tokenize`: the tokens of a text with their ids, byte spans and words.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <headwater/engine.h>

#include "base/files.h"
#include "cli/commands/command.h"
#include "cli/input_reader.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/run_identity.h"
#include "corpus/run_record.h"
#include "prose/token_table.h"

namespace headwater {
namespace {

constexpr const char* formats = "text|json|jsonl";

struct Options {
  ModelOptions model;
  InputOptions input;
  OutputOptions output;
};

// Of a shard, for `merge`; its lines have no numbers, and one is an input.
void keep_record(const Options& options, const Engine& engine, const Arguments& given) {
  const std::string& file = options.input.corpus.file;
  if (!options.input.corpus.shard || !Output::names_file(file) || !Output::names_file(options.output.path))
    return;
  const std::string inputs = sha256_hex(MappedFile::open(file)->bytes());
  write_record(options.output.path, run_identity(engine, "tokenize", inputs, given.given(), {}));
}

int run(const Options& options, const Arguments& given) {
  const std::string format = options.output.chosen_format(formats, ".txt=text .ndjson=jsonl");
  InputReader reader(options.input);
  if (const std::string text = reader.understood(); !text.empty()) options.output.say(text);
  Output output(options.output.path);
  const Engine engine = options.model.load(options.output);
  std::size_t count = 0;
  while (const std::optional<Example> example = reader.next()) {
    if (count == 1 && format == "json")
      throw InputError(fmt::format(
          "{}: expected one text for json, found another; use --format jsonl for several", reader.where()));
    std::vector<Unit> tokens;
    try {
      tokens = engine.tokenize(example->input);
    } catch (const InputError& error) {
      const std::string where = reader.where();
      throw InputError(where.empty() ? error.what() : fmt::format("{}: {}", where, error.what()));
    }
    if (format == "text") {
      output.write((count > 0 ? "\n" : "") + tokens_table(tokens));
    } else {
      output.write(tokens_json(tokens, format == "json" ? 2 : -1));
    }
    ++count;
  }
  output.finish();
  if (format == "jsonl") keep_record(options, engine, given);
  if (const std::string text = reader.left_out(); !text.empty()) options.output.say(text);
  return 0;
}

void declare(Arguments& arguments, Options& options) {
  add_input_options(arguments, options.input);
  add_shard_option(arguments, options.input.corpus.shard);
  add_model_options(arguments, options.model);
  add_output_options(arguments, options.output, formats);
}

}  // namespace

extern const Command tokenize{.name = "tokenize",
                              .summary = "Print the tokens of a text: ids, pieces, byte spans, words",
                              .group = "Use a model",
                              .setup = set_up<declare, run>};

}  // namespace headwater
