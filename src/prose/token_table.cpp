#include "prose/token_table.h"

#include <fmt/format.h>

#include "files/schema.h"
#include "prose/table.h"
#include "result/text_width.h"

namespace headwater {

std::string tokens_table(const std::vector<Unit>& tokens) {
  Table table{.header = {"#", "id", "piece", "bytes", "word", "text"}, .rows = {}, .right = "rrlrrl"};
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Unit& token = tokens[i];
    table.rows.push_back({std::to_string(i), std::to_string(token.id), visible(token.piece),
                          token.special ? "" : fmt::format("{}–{}", token.begin, token.end),
                          token.word < 0 ? "" : std::to_string(token.word),
                          token.special ? "" : visible(token.text)});
  }
  return table.str();
}

std::string tokens_json(const std::vector<Unit>& tokens, int indent) {
  return dump({{"tokens", list_of(tokens)}}, indent) + "\n";
}

}  // namespace headwater
