// The patches' scores over the picture that the model saw: one column per method; for several targets, one
// row per method and one column per target.
#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <headwater/error.h>
#include <headwater/formats.h>

#include "drawing/chart.h"
#include "drawing/figure.h"
#include "drawing/overlay.h"
#include "drawing/tips.h"
#include "result/rows.h"
#include "result/sentence.h"

namespace headwater {

namespace {

struct ShownMap {
  const Report* report;
  const Attribution* result;
  Index layer;
};
using MapRow = std::vector<ShownMap>;

std::optional<ShownMap> shown_map(const Report& report, const Attribution& result,
                                  const FigureOptions& options) {
  const Index layer = options.layer >= 0 ? options.layer : shown_layer(report, result);
  if (result.scores().empty() || layer >= layer_count(result) ||
      (!options.method.empty() && name_of(result) != options.method))
    return {};
  return ShownMap{&report, &result, layer};
}

// Panels in rows: the picture, and the maps beside it.
class Overlays {
 public:
  Overlays(Svg& svg, const Report& report)
      : svg_(svg),
        seen_(report.picture),
        picture_(decode_image(std::as_bytes(std::span(seen_.data(), seen_.size())), "picture")),
        tall_(side * picture_.height / std::max(1, picture_.width)) {}

  static constexpr double side = 240, gap = 14, top = 60, caption = 50;
  static double height_of(const Image& picture) {
    return side * picture.height / std::max(1, picture.width) + caption;
  }
  void draw(const MapRow& row, std::size_t at) {
    const double y = top + static_cast<double>(at) * (tall_ + caption);
    panel({sheet_edge, y}, seen_, "the picture", "as the model sees it");
    for (std::size_t c = 0; c < row.size(); ++c)
      draw(row[c], {sheet_edge + static_cast<double>(c + 1) * (side + gap), y});
  }

 private:
  struct Place {
    double x, y;
  };
  void panel(const Place& at, const std::string& png, const std::string& name, const std::string& more) {
    svg_.image({at.x, at.y, side, tall_}, png, name);
    svg_.text({at.x, at.y + tall_ + 17}, cut_to_width(name, 12, side), {.size = 12, .bold = true});
    draw_in_room(svg_, {at.x, at.y + tall_ + 33}, more, small_text(), side);
  }
  void draw(const ShownMap& shown, const Place& at) {
    const auto& [report, result, layer] = shown;
    const std::vector<double> weights = patch_weights(*report, *result, layer);
    const auto [low, high] = std::minmax_element(weights.begin(), weights.end());
    const std::string target = result->traits.of_target ? answer_of(*report) : "every class";
    panel(at, encode_png(overlay(picture_, weights, panel_scale(picture_))), name_of(*result),
          fmt::format("{}{}: {:.2g} … {:.2g}", target,
                      layer_count(*result) > 1 ? fmt::format(", layer {}", layer) : "", *low, *high));
    const Sequence& patches = *patches_of(report->prediction);
    const double width = side / static_cast<double>(patches.columns),
                 height = tall_ / static_cast<double>(patches.rows);
    const std::string whose = scores_words(*report, *result, layer);
    for (std::size_t p = 0; p < weights.size(); ++p) {
      const Index row = static_cast<Index>(p) / patches.columns,
                  column = static_cast<Index>(p) % patches.columns;
      const auto unit = static_cast<std::size_t>(first_patch(patches)) + p;
      svg_.tip({at.x + width * static_cast<double>(column), at.y + height * static_cast<double>(row), width,
                height},
               score_tip(whose, in_quotes(report->prediction.units[unit]), weights[p],
                         has_axis(*result, Axis::Query)));
    }
  }

  Svg& svg_;
  const std::string& seen_;
  const Image picture_;
  const double tall_;
};

std::string drawn_overlays(const std::string& title, const std::vector<MapRow>& rows,
                           const std::string& metadata) {
  const Report& first = *rows.front().front().report;
  const Image picture =
      decode_image(std::as_bytes(std::span(first.picture.data(), first.picture.size())), "picture");
  const auto columns = static_cast<double>(rows.front().size() + 1);
  const double content = 2 * sheet_edge + columns * (Overlays::side + Overlays::gap) - Overlays::gap;
  Svg svg(sheet_width(std::max(520.0, content), title),
          Overlays::top + static_cast<double>(rows.size()) * Overlays::height_of(picture) + 24, title);
  draw_sheet(svg, title,
             "every map scaled to its strongest patch: darker is more; blue counts for, orange against",
             first.record);
  Overlays overlays(svg, first);
  for (std::size_t r = 0; r < rows.size(); ++r) overlays.draw(rows[r], r);
  return svg.str(metadata);
}

}  // namespace

std::string overlay_figure(const Report& report, const FigureOptions& options, const std::string& metadata) {
  if (report.picture.empty())
    throw InputError("plot: expected a picture for an overlay, found a text; --kind strip draws those");
  MapRow shown;
  for (const Attribution& result : report.attributions)
    if (const auto map = shown_map(report, result, options)) shown.push_back(*map);
  if (shown.empty())
    throw InputError(
        "plot: expected a score per patch for an overlay, found none; --layer and --method choose");
  std::vector<const Attribution*> results;
  for (const ShownMap& one : shown) results.push_back(one.result);
  return drawn_overlays(sentence_over(report, results, options.layer), {shown}, metadata);
}

std::string overlay_figure(std::span<const Report> reports, const std::string& metadata) {
  require_one_picture(reports);
  std::string title;
  for (const Report& report : reports) title += (title.empty() ? "" : " · ") + answer_of(report);
  std::vector<MapRow> rows;
  for (std::size_t m = 0; m < reports.front().attributions.size(); ++m) {
    rows.emplace_back();
    for (const Report& report : reports)
      if (const auto map = shown_map(report, report.attributions[m], {})) rows.back().push_back(*map);
  }
  return drawn_overlays(title, rows, metadata);
}

}  // namespace headwater
