#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "report/chart.h"
#include "report/provenance.h"
#include "report/tree_text.h"

namespace headwater {

std::string tree_svg(const GrownTree& grown) {
  const auto& [tree, report, tokens, checks, command] = grown;
  const int layers = report.model.last().layers;
  const std::string title = "what the prediction rests on: " + report.target.label;
  constexpr double step = 74, level = 64, left = 52, top = 40;
  const double width = left + step * static_cast<double>(tokens.size()) + 20,
               height = top + level * layers + 50;
  const auto x = [&](int t) { return left + step * t + step / 2; };
  const auto y = [&](int l) { return top + level * (layers - 1 - l); };
  double largest = 0;
  for (const TreeEdge& edge : tree.edges) largest = std::max(largest, std::abs(edge.score));
  Svg svg(width, height, title);
  svg.text({8, 20}, cut_to_width(title, 13, width - 16), {.size = 13, .bold = true});
  for (int l = 0; l < layers; ++l) svg.text({8, y(l) + 4}, fmt::format("L{}", l), {.colour = soft_ink});
  // A token's stream, from where it is first seen down to its name: what ties its edges of different layers.
  std::map<int, double> first_seen{{tree.root, y(layers - 1)}};
  for (const TreeEdge& edge : tree.edges) {
    const auto seen = [&](int token, double place) {
      const auto [at, fresh] = first_seen.try_emplace(token, place);
      if (!fresh) at->second = std::min(at->second, place);
    };
    seen(edge.parent, y(edge.layer));
    seen(edge.child, y(edge.layer) + level);
  }
  for (const auto& [token, place] : first_seen)
    svg.line({x(token), place}, {x(token), y(0) + level},
             {.colour = {0xb8, 0xc4, 0xd0}, .width = 1, .dashes = "2 4"});
  for (const TreeEdge& edge : tree.edges)
    svg.line({x(edge.parent), y(edge.layer)}, {x(edge.child), y(edge.layer) + level},
             {.colour = {0x1e, 0x6c, 0xb2},
              .width = 1 + 4 * (largest > 0 ? std::abs(edge.score) / largest : 0),
              .dashes = {},
              .opacity = 0.75},
             fmt::format("L{} {} reads {}: {:.6f}", edge.layer, tokens[static_cast<std::size_t>(edge.parent)],
                         tokens[static_cast<std::size_t>(edge.child)], edge.score));
  for (std::size_t t = 0; t < tokens.size(); ++t)
    svg.text({x(static_cast<int>(t)), height - 18}, cut_to_width(tokens[t], 12, step - 4),
             {.anchor = TextStyle::Anchor::Middle, .bold = static_cast<int>(t) == tree.root});
  return svg.str(provenance_json(checks, report.record, command));
}

}  // namespace headwater
