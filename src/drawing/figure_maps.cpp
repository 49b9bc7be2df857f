// Maps of one result: every layer, every head of the layers, or one.
//
// Layers share one scale unless a layer would be blank: a layer whose largest weight is under half of the
// scale never reaches the darker colours.
#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <headwater/error.h>
#include <headwater/formats.h>

#include "drawing/figure.h"
#include "drawing/map_panels.h"
#include "drawing/tips.h"
#include "result/rows.h"
#include "result/running_text.h"
#include "result/sentence.h"

namespace headwater {

namespace {

int axis_at(const Map& map, Axis::Kind kind) {
  for (std::size_t a = 0; a < map.axes.size(); ++a)
    if (map.axes[a].kind == kind) return static_cast<int>(a);
  return -1;
}

bool has_map(const Attribution& result) {
  return axis_at(result.maps.back(), Axis::Query) >= 0;
}

// One layer and head, [query · keys]; without a head, the mean over heads.
std::vector<double> map_cells(const Map& map, Index layer, Index head) {
  const Index heads = length_along(map, Axis::Head), keys = map.values.shape().back(),
              cells = map.values.dim(map.values.rank() - 2) * keys;
  const Index first = head < 0 ? 0 : head, last = head < 0 ? heads - 1 : head;
  std::vector<double> made(static_cast<std::size_t>(cells), 0.0);
  for (Index h = first; h <= last; ++h)
    for (Index c = 0; c < cells; ++c)
      made[static_cast<std::size_t>(c)] +=
          map.values.at((layer * heads + h) * cells + c) / static_cast<double>(last - first + 1);
  return made;
}

std::vector<std::string> unit_names(const Report& report, const Map& map, Axis::Kind kind) {
  const int axis = axis_at(map, kind);
  const int sequence = map.axes[static_cast<std::size_t>(axis)].sequence;
  std::vector<std::string> names;
  for (const Unit& unit : report.prediction.units)
    if (unit.sequence == sequence) names.push_back(token_word(unit));
  if (static_cast<Index>(names.size()) != map.values.dim(axis))
    throw InputError(fmt::format("plot: expected {} units, found {}", map.values.dim(axis), names.size()));
  return names;
}

constexpr Index most_compared = 1 << 16;  // largest map whose layers share a scale by default

// The largest weight of all layers, and whether it is their common scale.
struct CommonScale {
  double peak = 0;
  bool shared = true;
};

CommonScale common_scale(const Map& map, Index head, const FigureOptions& options) {
  std::vector<double> peaks;
  for (Index l = 0; l < length_along(map, Axis::Layer); ++l)
    peaks.push_back(largest_size(map_cells(map, l, head)));
  const double peak = *std::max_element(peaks.begin(), peaks.end());
  const bool blank =
      std::any_of(peaks.begin(), peaks.end(), [&](double own) { return own > 0 && own < peak / 2; });
  const Index cells = map.values.dim(map.values.rank() - 2) * map.values.shape().back();
  return {peak, options.shared.value_or(!blank && cells <= most_compared)};
}

struct Drawn {
  const Attribution& result;
  const Map& map;
  Index layer;
  CommonScale scale;
  MapPanels panels;

  void add(std::string name, Index at_layer, Index head) {
    MapPanel panel{std::move(name), place_words(map, at_layer, head), map_cells(map, at_layer, head)};
    panel.scale = panels.shared ? scale.peak : largest_size(panel.cells);
    panels.panels.push_back(std::move(panel));
  }
};

Drawn drawn_map(const Report& report, const FigureOptions& options, const char* figure,
                bool (*fits)(const Attribution&)) {
  const Attribution& result = chosen_result(report, options, figure, fits);
  const Map& map = *chosen_maps(result, options).back();
  require_below("--layer", options.layer, length_along(map, Axis::Layer));
  require_below("--head", options.head, length_along(map, Axis::Head));
  const Index layers = length_along(map, Axis::Layer);
  Drawn drawn{result,
              map,
              options.layer >= 0 ? options.layer : std::min(shown_layer(report, result), layers - 1),
              common_scale(map, options.head, options),
              {}};
  drawn.panels.title = sentence_at(report, result, drawn.layer);
  drawn.panels.rows = unit_names(report, map, Axis::Query);
  drawn.panels.columns = unit_names(report, map, Axis::Key);
  drawn.panels.shared = drawn.scale.shared;
  drawn.panels.subtitle = fmt::format("{}{}: how much a token (left) takes from another (below)",
                                      name_of(result), map.name.empty() ? "" : ", " + map.name);
  return drawn;
}

std::string head_words(const Map& map, Index head) {
  if (axis_at(map, Axis::Head) < 0) return {};
  return head < 0 ? ", mean over heads" : fmt::format(", head {}", head);
}

std::string layer_words(const Map& map, Index layer) {
  return axis_at(map, Axis::Layer) < 0 ? "all layers" : fmt::format("layer {}", layer);
}

}  // namespace

namespace {

// The mean and every head of the layers, or of one layer.
void add_all_heads(Drawn& drawn, const FigureOptions& options) {
  const Index heads = length_along(drawn.map, Axis::Head), layers = length_along(drawn.map, Axis::Layer);
  for (Index h = 0; h < heads; ++h)
    drawn.scale.peak = std::max(drawn.scale.peak, common_scale(drawn.map, h, options).peak);
  drawn.panels.dense = true;
  drawn.panels.in_a_row = static_cast<std::size_t>(heads) + 1;
  for (Index l = 0; l < layers; ++l) {
    if (options.layer >= 0 && l != options.layer) continue;
    drawn.add(fmt::format("L{} mean", l), l, -1);
    for (Index h = 0; h < heads; ++h) drawn.add(fmt::format("L{} H{}", l, h), l, h);
  }
}

}  // namespace

std::string grid_figure(const Report& report, const FigureOptions& options, const std::string& metadata) {
  Drawn drawn = drawn_map(report, options, "grid", has_map);
  if (options.all_heads && length_along(drawn.map, Axis::Head) > 1) {
    drawn.panels.subtitle += ", every head and their mean";
    add_all_heads(drawn, options);
  } else {
    drawn.panels.subtitle += head_words(drawn.map, options.head);
    for (Index l = 0; l < length_along(drawn.map, Axis::Layer); ++l)
      drawn.add(layer_words(drawn.map, l), l, options.head);
  }
  return map_panels_svg(drawn.panels, report.record, metadata);
}

std::string matrix_figure(const Report& report, const FigureOptions& options, const std::string& metadata) {
  if (options.all_heads)
    throw InputError("--head: expected one head of a matrix, found 'all'; --kind grid draws every head");
  Drawn drawn = drawn_map(report, options, "matrix", has_map);
  if (!drawn.map.name.empty()) drawn.panels.shared = false;  // one of several kinds, each with its own scale
  drawn.add(layer_words(drawn.map, drawn.layer) + head_words(drawn.map, options.head), drawn.layer,
            options.head);
  return map_panels_svg(drawn.panels, report.record, metadata);
}

}  // namespace headwater
