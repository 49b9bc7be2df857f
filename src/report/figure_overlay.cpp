// The patches' scores over the picture the model saw, a column per method.
#include <algorithm>

#include <fmt/format.h>
#include <headwater/error.h>
#include <headwater/formats.h>

#include "report/chart.h"
#include "report/figure.h"
#include "report/focus.h"
#include "report/overlay.h"
#include "report/sentence.h"
#include "report/tips.h"

namespace headwater {

std::string overlay_figure(const Report& report, const FigureOptions& options, const std::string& metadata) {
  if (report.picture.empty())
    throw InputError("plot: expected a picture for an overlay, found a text; --kind strip draws those");
  const Image picture =
      decode_image(std::as_bytes(std::span(report.picture.data(), report.picture.size())), "picture");
  struct Shown {
    const Attribution* result;
    Index layer;
  };
  std::vector<Shown> shown;
  for (const Attribution& result : report.attributions) {
    const Index layer = options.layer >= 0 ? options.layer : shown_layer(report, result);
    if (!result.scores().empty() && layer < layer_count(result) &&
        (options.method.empty() || name_of(result) == options.method))
      shown.push_back({&result, layer});
  }
  if (shown.empty())
    throw InputError(
        "plot: expected a score per patch for an overlay, found none; --layer and --method choose");
  std::vector<const Attribution*> results;
  for (const Shown& one : shown) results.push_back(one.result);
  const std::string sentence = sentence_over(report, results, options.layer);
  constexpr double side = 240, gap = 14, top = 60;
  const double tall = side * picture.height / std::max(1, picture.width);
  Svg svg(std::max(520.0, 2 * sheet_edge + static_cast<double>(shown.size() + 1) * (side + gap) - gap),
          top + tall + 74, sentence);
  draw_sheet(svg, sentence,
             "every map scaled to its strongest patch: darker is more; blue counts for, orange against",
             report.record);
  const auto panel = [&](std::size_t column, const std::string& png, const std::string& name,
                         const std::string& more) {
    const double x = sheet_edge + static_cast<double>(column) * (side + gap);
    svg.image({x, top, side, tall}, png, name);
    svg.text({x, top + tall + 17}, cut_to_width(name, 12, side), {.size = 12, .bold = true});
    draw_in_room(svg, {x, top + tall + 33}, more, small_text(), side);
  };
  panel(0, report.picture, "the picture", "as the model sees it");
  for (std::size_t c = 0; c < shown.size(); ++c) {
    const auto& [result, layer] = shown[c];
    const std::vector<double> weights = patch_weights(report, *result, layer);
    const auto [low, high] = std::minmax_element(weights.begin(), weights.end());
    panel(c + 1, encode_png(overlay(picture, weights, panel_scale(picture))), name_of(*result),
          fmt::format("{}{}: {:.2g} … {:.2g}",
                      knows_class(*result) ? report.target.label : "same for every class",
                      layer_count(*result) > 1 ? fmt::format(", layer {}", layer) : "", *low, *high));
    const Sequence& patches = *patches_of(report.prediction);
    const double left = sheet_edge + static_cast<double>(c + 1) * (side + gap),
                 width = side / static_cast<double>(patches.columns),
                 height = tall / static_cast<double>(patches.rows);
    const std::string whose = scores_words(report, *result, layer);
    for (std::size_t p = 0; p < weights.size(); ++p) {
      const Index row = static_cast<Index>(p) / patches.columns,
                  column = static_cast<Index>(p) % patches.columns;
      const auto unit = static_cast<std::size_t>(first_patch(patches)) + p;
      svg.tip({left + width * static_cast<double>(column), top + height * static_cast<double>(row), width,
               height},
              score_tip(whose, in_quotes(report.prediction.units[unit]), weights[p],
                        has_axis(*result, Axis::Query)));
    }
  }
  return svg.str(metadata);
}

}  // namespace headwater
