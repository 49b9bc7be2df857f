// `headwater tokenize`: the tokens of a text with their ids, byte spans and words.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <headwater/engine.h>

#include "cli/commands/command.h"
#include "cli/input_reader.h"
#include "cli/options.h"
#include "cli/output.h"
#include "report/token_table.h"

namespace headwater {
namespace {

constexpr const char* formats = "text|json|jsonl";

struct Options {
  ModelOptions model;
  InputOptions input;
  OutputOptions output;
};

int run(const Options& options) {
  const std::string format = options.output.chosen_format(formats, ".txt=text .ndjson=jsonl");
  InputReader reader(options.input);
  if (const std::string text = reader.understood(); !text.empty()) options.output.say(text);
  Output output(options.output.path);
  const Engine engine = options.model.load();
  std::size_t count = 0;
  while (const std::optional<Example> example = reader.next()) {
    if (count == 1 && format == "json")
      throw InputError(fmt::format("{}: expected one text for json, found another; --format jsonl holds many",
                                   reader.where()));
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
  if (const std::string text = reader.left_out(); !text.empty()) options.output.say(text);
  return 0;
}

void declare(Arguments& arguments, Options& options) {
  add_input_options(arguments, options.input);
  add_model_options(arguments, options.model);
  add_output_options(arguments, options.output, formats);
}

}  // namespace

extern const Command tokenize{.name = "tokenize",
                              .summary = "The tokens of a text: ids, pieces, byte spans, words",
                              .group = "Use a model",
                              .setup = set_up<declare, run>};

}  // namespace headwater
