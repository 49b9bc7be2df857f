// Curves of an evaluation: one field per metric, one line per method with its interval as a band; the random
// explanation is dashed.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <headwater/error.h>

#include "drawing/chart.h"
#include "drawing/charts.h"
#include "drawing/tips.h"
#include "result/many_inputs.h"

namespace headwater {
namespace {

// An axis that covers these numbers of all series, including the ends of their bands.
ChartAxis axis_over(const std::string& label, const std::vector<Series>& all, int most,
                    std::initializer_list<std::vector<double> Series::*> numbers) {
  constexpr double none = std::numeric_limits<double>::infinity();
  double low = none, high = -none;
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

auto examples_in(const EvaluateReport& report) {
  return report.examples - report.left_out;
}

// "deletion: chefer at 12.5 %: 0.8312"
std::vector<std::string> point_tips(const std::string& metric, const std::string& method,
                                    const EvaluationCell& cell) {
  std::vector<std::string> tips;
  for (std::size_t i = 0; i < cell.x.size(); ++i)
    tips.push_back(fmt::format("{}: {} at {} %: {}", metric, method, std::round(1000 * cell.x[i]) / 10,
                               shown_number(cell.curve[i])));
  return tips;
}

std::vector<ChartField> curve_fields(const EvaluateReport& report) {
  std::vector<ChartField> fields;
  const bool several = examples_in(report) > 1;
  for (std::size_t k = 0; k < report.metrics.size(); ++k) {
    const EvaluationMetric& metric = report.metrics[k];
    ChartField field{.title = metric.name + arrow_of(metric)};
    for (std::size_t m = 0; m < report.methods.size(); ++m) {
      const EvaluationCell& cell = report.cells[k * report.methods.size() + m];
      if (cell.x.size() < 2) continue;
      const bool random = m + 1 == report.methods.size();
      field.series.push_back({.name = report.methods[m],
                              .colour = random ? soft_ink : series_colour(m),
                              .dashes = random    ? "6 4"
                                        : m >= 10 ? "2 2"
                                                  : "",
                              .marker = series_marker(m),
                              .x = cell.x,
                              .y = cell.curve,
                              .low = several ? cell.lows : std::vector<double>{},
                              .high = several ? cell.highs : std::vector<double>{},
                              .spread = Series::Spread::Band,
                              .tips = point_tips(metric.name, report.methods[m], cell)});
    }
    if (field.series.empty()) continue;
    field.x = axis_over(metric.curve_over, field.series, 10, {&Series::x});
    field.y = axis_over(several ? "mean over examples" : "value", field.series, 8,
                        {&Series::y, &Series::low, &Series::high});
    fields.push_back(std::move(field));
  }
  return fields;
}

}  // namespace

std::string evaluate_svg(const EvaluateReport& report, std::string_view metadata) {
  const std::vector<ChartField> fields = curve_fields(report);
  if (fields.empty())
    throw InputError("svg: expected a metric with a curve, such as deletion, found none; use another format");
  std::vector<Series> legend;
  for (const ChartField& field : fields)
    for (const Series& series : field.series)
      if (std::none_of(legend.begin(), legend.end(), [&](const Series& s) { return s.name == series.name; }))
        legend.push_back(series);
  return fields_svg(
      {.title = "Evaluation of explanations",
       .subtitle = (examples_in(report) > 1 ? fmt::format("{} examples; bands: {:.0f} % intervals",
                                                          examples_in(report), 100 * report.level)
                                            : std::string("one example, so no interval")) +
                   "; ↑ higher is better, ↓ lower",
       .fields = fields,
       .legend = legend,
       .width = 400,
       .height = 250},
      report.record, metadata);
}

}  // namespace headwater
