// `headwater tokenize`: the tokens of a text with their ids, byte spans and words.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <headwater/engine.h>

#include "cli/command.h"
#include "cli_support/input_reader.h"
#include "cli_support/options.h"
#include "cli_support/output.h"
#include "cli_support/table.h"
#include "report/schema.h"

namespace headwater {
namespace {

constexpr const char* formats = "text|json|jsonl";

struct Options {
  ModelOptions model;
  InputOptions input;
  OutputOptions output;
};

std::string as_table(const std::vector<TokenView>& tokens) {
  Table table{.header = {"#", "id", "piece", "bytes", "word", "text"}, .rows = {}, .right = "rrlrrl"};
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const TokenView& token = tokens[i];
    table.rows.push_back({std::to_string(i), std::to_string(token.id), visible(token.piece),
                          token.special ? "" : fmt::format("{}–{}", token.begin, token.end),
                          token.word < 0 ? "" : std::to_string(token.word),
                          token.special ? "" : visible(token.text)});
  }
  return table.str();
}

std::string as_json(const std::vector<TokenView>& tokens, int indent) {
  OrderedJson list = OrderedJson::array();
  for (const TokenView& token : tokens) list.push_back(json_of(token));
  return dump({{"tokens", list}}, indent) + "\n";
}

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
    std::vector<TokenView> tokens;
    try {
      tokens = engine.tokenize(example->input);
    } catch (const InputError& error) {
      const std::string where = reader.where();
      throw InputError(where.empty() ? error.what() : fmt::format("{}: {}", where, error.what()));
    }
    if (format == "text") {
      output.write((count > 0 ? "\n" : "") + as_table(tokens));
    } else {
      output.write(as_json(tokens, format == "json" ? 2 : -1));
    }
    ++count;
  }
  output.finish();
  if (const std::string text = reader.left_out(); !text.empty()) options.output.say(text);
  return 0;
}

std::function<int()> setup(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  add_input_options(arguments, options->input);
  add_model_options(arguments, options->model);
  add_output_options(arguments, options->output, formats);
  return [options] { return run(*options); };
}

}  // namespace

extern const Command tokenize{.name = "tokenize",
                              .summary = "The tokens of a text: ids, pieces, byte spans, words",
                              .group = "Use a model",
                              .setup = setup};

}  // namespace headwater
