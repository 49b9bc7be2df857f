#include "result/grown_tree.h"

#include "result/text_width.h"

namespace headwater {

GrownTree grown(const TreeReport& made, const std::string& command) {
  std::vector<std::string> tokens;
  for (const Unit& token : made.report.prediction.units) tokens.push_back(visible(token.text));
  return {made.tree, made.report, std::move(tokens), made.checks, command};
}

}  // namespace headwater
