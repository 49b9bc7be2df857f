#include "report/layer_maps.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/chart.h"
#include "report/colours.h"

namespace headwater {

namespace {

constexpr double map_cell = 14, map_gap = 20, map_top = 56, map_heading = 18, map_foot = 30, map_name = 11;
constexpr std::size_t maps_in_a_row = 4;

void draw_layer(Svg& svg, Point at, const LayerMaps& maps, std::size_t layer, double names) {
  const std::vector<double>& map = maps.layers[layer];
  const std::size_t T = maps.tokens.size();
  const double peak = *std::max_element(map.begin(), map.end());
  svg.text({at.x + names, at.y + 12}, fmt::format("layer {}", layer + 1), {.size = 12, .bold = true});
  const double x = at.x + names, y = at.y + map_heading;
  for (std::size_t q = 0; q < T; ++q) {
    const double row = y + static_cast<double>(q) * map_cell;
    svg.text({x - 4, row + map_cell - 3}, maps.tokens[q], small_text(TextStyle::Anchor::End));
    for (std::size_t k = 0; k < T; ++k) {
      const double share = map[q * T + k];
      svg.rect(
          {x + static_cast<double>(k) * map_cell, row, map_cell - 1, map_cell - 1},
          colour_of(peak > 0 ? share / peak : 0),
          fmt::format("layer {}: {} reads {}: {:.4f}", layer + 1, maps.tokens[q], maps.tokens[k], share));
    }
  }
  for (std::size_t k = 0; k < T; ++k)
    svg.text({x + (static_cast<double>(k) + 0.75) * map_cell, y + static_cast<double>(T) * map_cell + 4},
             maps.tokens[k],
             {.anchor = TextStyle::Anchor::End, .size = map_name, .colour = soft_ink, .upwards = true});
}

}  // namespace

std::string layer_maps_svg(const LayerMaps& maps, const RunRecord& record, std::string_view metadata) {
  double names = 0;
  for (const std::string& token : maps.tokens) names = std::max(names, drawn_width(token, map_name) + 6);
  const double side = static_cast<double>(maps.tokens.size()) * map_cell;
  const double across = names + side + map_gap, down = map_heading + side + names + map_gap;
  const std::size_t columns = std::min(maps_in_a_row, maps.layers.size());
  const std::size_t rows = (maps.layers.size() + maps_in_a_row - 1) / maps_in_a_row;
  Svg svg(std::max(520.0, 2 * sheet_edge + static_cast<double>(columns) * across),
          map_top + static_cast<double>(rows) * down + map_foot, maps.title);
  draw_sheet(svg, maps.title, maps.subtitle, record);
  for (std::size_t layer = 0; layer < maps.layers.size(); ++layer)
    draw_layer(svg,
               {sheet_edge + static_cast<double>(layer % maps_in_a_row) * across,
                map_top + static_cast<double>(layer / maps_in_a_row) * down},
               maps, layer, names);
  return svg.str(metadata);
}

}  // namespace headwater
