// Figures over examples: the mean of the values that are not NaN, or what the metric computes from summed
// parts; percentile intervals by bootstrap over examples, with the same resamples for every cell; Wilcoxon's
// test between methods on the examples for which both have a value, with Holm's correction over the pairs of
// one metric.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <headwater/error.h>

#include "evaluation/run/evaluate.h"
#include "numerics/bootstrap.h"
#include "numerics/paired_tests.h"

namespace headwater {

namespace {

using Column =
    std::vector<const EvaluationValue*>;  // values of one metric and method, in the order of the examples

struct Figure {
  double value;
  Interval interval;
};

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());  // 0/0: none
}

Figure mean_figure(const std::vector<double>& values, const BootstrapOptions& draws) {
  return {mean_of(values), bootstrap_mean(values, draws)};
}

Figure combined_figure(const Column& column, double (*combine)(std::span<const double>),
                       const BootstrapOptions& draws) {
  const auto over = [&](std::span<const std::size_t> chosen) {
    std::vector<double> sums;
    for (const std::size_t i : chosen) {
      const std::vector<double>& parts = column[i]->parts;
      sums.resize(std::max(sums.size(), parts.size()), 0.0);
      for (std::size_t p = 0; p < parts.size(); ++p) sums[p] += parts[p];
    }
    return combine(sums);
  };
  std::vector<std::size_t> all(column.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  if (all.empty()) return {std::numeric_limits<double>::quiet_NaN(), bootstrap_mean({}, draws)};
  return {over(all), bootstrap_interval(all.size(), over, draws)};
}

EvaluationCell summed_cell(const ChosenMetric& metric, const ModelInfo& info, const Column& column,
                           const BootstrapOptions& draws) {
  EvaluationCell cell{.metric = std::string(metric.evaluation->name)};
  Column defined;
  std::vector<double> values;
  for (const EvaluationValue* one : column)
    if (!std::isnan(one->value)) {
      defined.push_back(one);
      values.push_back(one->value);
    }
  cell.examples = defined.size();
  const Figure figure = metric.evaluation->combine != nullptr
                            ? combined_figure(defined, metric.evaluation->combine, draws)
                            : mean_figure(values, draws);
  cell.value = figure.value;
  cell.low = figure.interval.low;
  cell.high = figure.interval.high;
  if (metric.evaluation->points == nullptr) return cell;
  std::size_t longest = 0;
  for (const EvaluationValue* one : defined) longest = std::max(longest, one->curve.size());
  cell.x = metric.evaluation->points(info, metric.options);
  cell.x.resize(std::min(cell.x.size(), longest));
  for (std::size_t j = 0; j < cell.x.size(); ++j) {
    std::vector<double> at;
    for (const EvaluationValue* one : defined)
      if (j < one->curve.size() && !std::isnan(one->curve[j])) at.push_back(one->curve[j]);
    const Figure point = mean_figure(at, draws);
    cell.curve.push_back(point.value);
    cell.lows.push_back(point.interval.low);
    cell.highs.push_back(point.interval.high);
  }
  return cell;
}

void compare_methods(const std::string& metric, const std::vector<Column>& columns,
                     const std::vector<std::string>& methods, std::vector<EvaluationPair>& pairs) {
  std::vector<double> p;
  const std::size_t first = pairs.size();
  for (std::size_t a = 0; a < columns.size(); ++a)
    for (std::size_t b = a + 1; b < columns.size(); ++b) {
      std::vector<double> differences;
      for (std::size_t i = 0; i < columns[a].size(); ++i) {
        const double d = columns[a][i]->value - columns[b][i]->value;
        if (!std::isnan(d)) differences.push_back(d);
      }
      EvaluationPair pair{.metric = metric, .first = methods[a], .second = methods[b]};
      pair.examples = differences.size();
      pair.difference = mean_of(differences);
      pair.p = differences.empty() ? std::numeric_limits<double>::quiet_NaN() : wilcoxon_p(differences);
      p.push_back(pair.p);
      pairs.push_back(std::move(pair));
    }
  const std::vector<double> adjusted = holm_adjusted(p);
  for (std::size_t i = 0; i < adjusted.size(); ++i) pairs[first + i].adjusted = adjusted[i];
}

// The name of a method in a table; repeated names would be ambiguous.
std::vector<std::string> method_names(const std::vector<ChosenMetric>& metrics,
                                      const EvaluateRequest& request) {
  std::vector<std::string> names;
  if (is_of_model(metrics)) names = metrics.front().evaluation->rows(metrics.front().options);
  for (const MethodSpec& spec : request.methods) {
    std::string name(find_method(spec.name).name);
    if (!spec.aggregate.empty()) name += "_" + spec.aggregate;
    std::string once = name;
    for (int again = 2; std::find(names.begin(), names.end(), once) != names.end(); ++again)
      once = fmt::format("{} {}", name, again);
    names.push_back(once);
  }
  names.emplace_back("random");
  return names;
}

// Values may come from a file that an earlier run has kept, and somebody has changed.
void require_fitting(const ExampleValues& one, std::size_t metrics, std::size_t methods) {
  const bool fits =
      one.values.size() == metrics && std::all_of(one.values.begin(), one.values.end(),
                                                  [&](const auto& row) { return row.size() == methods; });
  if (!fits)
    throw InputError(
        fmt::format("values: expected those of {} metrics and {} methods for example {}, found others; "
                    "remove the file to start again",
                    metrics, methods, one.example + 1));
}

}  // namespace

void sum_up(const std::vector<ChosenMetric>& metrics, const std::vector<ExampleValues>& values,
            const EvaluateRequest& request, EvaluateReport& report) {
  report.methods = method_names(metrics, request);
  report.seed = request.seed;
  report.resamples = request.resamples;
  report.level = request.level;
  report.examples = values.size();
  std::vector<const ExampleValues*> explained;
  for (const ExampleValues& one : values) {
    if (one.left_out.empty())
      explained.push_back(&one);
    else
      ++report.left_out;
  }
  for (const ExampleValues* one : explained) require_fitting(*one, metrics.size(), report.methods.size());
  const BootstrapOptions draws{.resamples = request.resamples, .level = request.level, .seed = request.seed};
  for (std::size_t k = 0; k < metrics.size(); ++k) {
    const Evaluation& evaluation = *metrics[k].evaluation;
    report.metrics.push_back({.name = std::string(evaluation.name),
                              .options = metrics[k].options.all(),
                              .better = better_of(evaluation, metrics[k].options),
                              .curve_over = std::string(evaluation.curve_over)});
    std::vector<Column> columns(report.methods.size());
    for (const ExampleValues* one : explained)
      for (std::size_t m = 0; m < columns.size(); ++m) columns[m].push_back(&one->values[k][m]);
    for (std::size_t m = 0; m < columns.size(); ++m) {
      report.cells.push_back(summed_cell(metrics[k], report.model, columns[m], draws));
      report.cells.back().method = report.methods[m];
    }
    if (evaluation.combine == nullptr)
      compare_methods(std::string(evaluation.name), columns, report.methods, report.pairs);
    else
      report.notes.push_back(
          fmt::format("{} is one figure over all examples, not a mean; compare methods by its intervals.",
                      evaluation.name));
  }
  if (report.left_out > 0) {
    std::set<std::string> reasons;
    for (const ExampleValues& one : values)
      if (!one.left_out.empty() && reasons.size() < 3) reasons.insert(one.left_out);
    report.notes.push_back(fmt::format("{} of {} examples were left out, such as: {}", report.left_out,
                                       report.examples, fmt::join(reasons, "; ")));
  }
}

}  // namespace headwater
