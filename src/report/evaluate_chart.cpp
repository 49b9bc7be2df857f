// Curves of an evaluation: a field per metric, a line per method with its interval as a band, the random
// explanation dashed.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <headwater/error.h>

#include "report/chart.h"
#include "report/evaluate_writer.h"
#include "report/provenance.h"

namespace headwater {
namespace {

constexpr double curve_width = 400, curve_height = 250, curve_edge = 16, curve_top = 62, curve_caption = 26,
                 curve_foot = 30;
constexpr Marker curve_markers[] = {Marker::Circle, Marker::Square, Marker::Triangle, Marker::Diamond};

struct CurveField {
  std::string title, over;
  std::vector<Series> series;
};

std::vector<CurveField> curve_fields(const EvaluateReport& report) {
  std::vector<CurveField> fields;
  for (std::size_t k = 0; k < report.metrics.size(); ++k) {
    const EvaluationMetric& metric = report.metrics[k];
    CurveField field{metric.name + arrow_of(metric), metric.curve_over, {}};
    for (std::size_t m = 0; m < report.methods.size(); ++m) {
      const EvaluationCell& cell = report.cells[k * report.methods.size() + m];
      if (cell.x.size() < 2) continue;
      const bool random = m + 1 == report.methods.size();
      field.series.push_back({.name = report.methods[m],
                              .colour = random ? soft_ink : series_colour(m),
                              .dashes = random   ? "6 4"
                                        : m >= 7 ? "2 2"
                                                 : "",
                              .marker = curve_markers[m % std::size(curve_markers)],
                              .x = cell.x,
                              .y = cell.curve,
                              .low = cell.lows,
                              .high = cell.highs,
                              .spread = Series::Spread::Band});
    }
    if (!field.series.empty()) fields.push_back(std::move(field));
  }
  return fields;
}

// An axis that holds these numbers of all series, the ends of their bands included.
ChartAxis axis_over(const std::string& label, const std::vector<Series>& all, int most,
                    std::initializer_list<std::vector<double> Series::*> numbers) {
  double low = INFINITY, high = -INFINITY;
  for (const Series& series : all)
    for (const auto& which : numbers)
      for (const double value : series.*which)
        if (std::isfinite(value)) {
          low = std::min(low, value);
          high = std::max(high, value);
        }
  if (!(low <= high)) {
    low = 0;
    high = 1;
  }
  return round_axis(label, low, high > low ? high : low + 1, most);
}

}  // namespace

std::string evaluate_svg(const EvaluateReport& report, std::string_view metadata) {
  const std::vector<CurveField> fields = curve_fields(report);
  if (fields.empty())
    throw InputError("svg: expected a metric with a curve, such as deletion, found none; use another format");
  std::vector<Series> legend;
  for (const CurveField& field : fields)
    for (const Series& series : field.series)
      if (std::none_of(legend.begin(), legend.end(), [&](const Series& s) { return s.name == series.name; }))
        legend.push_back(series);
  const std::size_t columns = std::min<std::size_t>(2, fields.size()), rows = (fields.size() + 1) / 2;
  const double column = Plot::left + curve_width + 30;
  const double row = curve_caption + curve_height + Plot::below + 16;
  const double width = 2 * curve_edge + static_cast<double>(columns) * column - 18;
  const double room = width - 2 * curve_edge;
  const double below = curve_top + static_cast<double>(rows) * row;
  const double height = below + legend_height(room, legend) + curve_foot;
  const std::string title = "How far explanations can be trusted";
  Svg svg(width, height, title);
  svg.text({curve_edge, 28}, title, {.size = 16, .bold = true});
  svg.text({curve_edge, 47},
           cut_to_width(fmt::format("{} examples; bands: {:.0f} % intervals; ↑ higher is better, ↓ lower",
                                    report.examples - report.left_out, 100 * report.level),
                        12, room),
           {.colour = soft_ink});
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const Box box{curve_edge + static_cast<double>(f % 2) * column + Plot::left,
                  curve_top + static_cast<double>(f / 2) * row + curve_caption, curve_width, curve_height};
    svg.text({box.x, box.y - 9}, fields[f].title, {.size = 13, .bold = true});
    const Plot plot(
        svg, box, axis_over(fields[f].over, fields[f].series, 10, {&Series::x}),
        axis_over("mean over examples", fields[f].series, 8, {&Series::y, &Series::low, &Series::high}));
    for (const Series& series : fields[f].series) draw_series(svg, plot, series);
  }
  draw_legend(svg, {curve_edge, below}, room, legend);
  svg.text({curve_edge, height - 12}, cut_to_width(record_line(report.record), 11, room),
           {.size = 11, .colour = soft_ink});
  return svg.str(metadata);
}

}  // namespace headwater
