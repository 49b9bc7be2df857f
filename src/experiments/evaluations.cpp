#include "experiments/evaluations.h"

#include <cmath>

#include <fmt/format.h>

#include "experiments/maps.h"

namespace headwater {

std::map<std::string, EvaluationCell> evaluated(const Engine& engine, const EvaluationPlan& plan,
                                                const std::vector<NamedMethod>& methods,
                                                const MetricSpec& metric) {
  EvaluateRequest request;
  request.examples = plan.examples;
  for (const NamedMethod& method : methods) request.methods.push_back(method.spec);
  request.metrics = {metric};
  request.explained = plan.explained;
  request.gold_labels = plan.gold_labels;
  request.seed = plan.seed;
  if (plan.progress)
    request.progress = [&](const Progress& progress, std::size_t done) {
      plan.progress({.method = fmt::format("{}, {}", metric.name, progress.method),
                     .done = static_cast<double>(done) / static_cast<double>(plan.examples.size())});
    };
  const EvaluateReport report = engine.evaluate(request);
  std::map<std::string, EvaluationCell> cells;
  for (std::size_t m = 0; m < report.methods.size(); ++m)  // methods in the order asked, the random one last
    cells[m < methods.size() ? methods[m].name : "random"] = report.cells[m];
  return cells;
}

std::string interval(const EvaluationCell& cell, int decimals, double scale) {
  if (!std::isfinite(cell.value)) return "–";
  return fmt::format("{:.{}f} [{:.{}f}, {:.{}f}]", scale * cell.value, decimals, scale * cell.low, decimals,
                     scale * cell.high, decimals);
}

}  // namespace headwater
