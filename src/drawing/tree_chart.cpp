#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "drawing/chart.h"
#include "drawing/charts.h"
#include "drawing/tips.h"
#include "files/record_json.h"
#include "result/grown_tree.h"

namespace headwater {

std::string tree_svg(const GrownTree& grown) {
  const auto& [tree, report, tokens, checks, command] = grown;
  const int layers = report.model.last().layers;
  const std::string title = "what the prediction rests on: " + report.target.label;
  constexpr double level = 64, left = 44, top = 78;
  double widest = 0;
  for (const std::string& token : tokens) widest = std::max(widest, drawn_width(token, 12) + 8);
  const double step = std::clamp(widest, 36.0, 74.0);
  const double width = std::max(520.0, left + step * static_cast<double>(tokens.size()) + 2 * sheet_edge),
               height = top + level * layers + 70;
  const auto x = [&](int t) { return left + sheet_edge + step * (t + 0.5); };
  const auto y = [&](int l) { return top + level * (layers - 1 - l); };
  double largest = 0;
  bool has_sign = false;
  for (const TreeEdge& edge : tree.edges) {
    largest = std::max(largest, std::abs(edge.score));
    has_sign = has_sign || edge.score < 0;
  }
  Svg svg(width, height, title);
  draw_sheet(svg, title,
             fmt::format("from the token that reads down to what it reads; the widest line is {:.3g}{}",
                         largest, has_sign ? "; orange, dashed, counts against" : ""),
             report.record);
  for (int l = 0; l < layers; ++l) svg.text({sheet_edge, y(l) + 4}, fmt::format("layer {}", l), small_text());
  // A token's line, from its first edge down to its name, which connects its edges of different layers.
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
    svg.line(
        {x(edge.parent), y(edge.layer)}, {x(edge.child), y(edge.layer) + level},
        {.colour = colour_of(edge.score < 0 ? -0.7 : 0.7),
         .width = 1 + 4 * (largest > 0 ? std::abs(edge.score) / largest : 0),
         .dashes = edge.score < 0 ? "5 3" : "",
         .opacity = 0.75},
        cell_tip(fmt::format("L{}", edge.layer), in_quotes(tokens[static_cast<std::size_t>(edge.parent)]),
                 in_quotes(tokens[static_cast<std::size_t>(edge.child)]), edge.score));
  for (std::size_t t = 0; t < tokens.size(); ++t)
    svg.text({x(static_cast<int>(t)), y(0) + level + 22}, cut_to_width(tokens[t], 12, step - 2),
             {.anchor = TextStyle::Anchor::Middle, .bold = static_cast<int>(t) == tree.root});
  return svg.str(provenance_json(checks, report.record, command));
}

}  // namespace headwater
