#include "prose/tree_text.h"

#include <fmt/format.h>

#include "drawing/charts.h"
#include "prose/provenance.h"
#include "prose/table.h"
#include "result/grown_tree.h"

namespace headwater {

std::string tree_text(const Tree& tree, const std::vector<std::string>& tokens) {
  const auto name = [&](int t) { return fmt::format("{}:{}", t, tokens[static_cast<std::size_t>(t)]); };
  std::string out = fmt::format("root {}\n", name(tree.root));
  for (const TreeEdge& edge : tree.edges)
    out +=
        fmt::format("L{:<3} {} <- {}  {:.6f}\n", edge.layer, name(edge.parent), name(edge.child), edge.score);
  return out;
}

std::string tree_text(const GrownTree& grown, const TerminalFormat& terminal) {
  return tree_text(grown.tree, grown.tokens) + checks_text(grown.checks, {}, terminal) +
         record_text(grown.report.record, terminal, grown.command);
}

std::string to_svg(const TreeReport& made, const std::string& command) {
  return tree_svg(grown(made, command));
}

}  // namespace headwater
