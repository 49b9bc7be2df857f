#include "reproductions/shared/evaluations.h"

#include <cmath>

#include <fmt/format.h>

#include "reproductions/shared/maps.h"

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

Lead lead_of(const std::string& ours, const std::map<std::string, EvaluationCell>& cells,
             const std::vector<NamedMethod>& methods, Better better) {
  const auto ahead = [&](const std::string& a, const std::string& b) {
    return better == Better::Higher ? cells.at(a).value > cells.at(b).value
                                    : cells.at(a).value < cells.at(b).value;
  };
  std::string rival;  // the best of the others
  for (const NamedMethod& method : methods)
    if (method.name != ours && (rival.empty() || ahead(method.name, rival))) rival = method.name;
  const EvaluationCell &a = cells.at(ours), &b = cells.at(rival);
  const auto holds_other = [](const EvaluationCell& one, double value) {
    return value >= one.low && value <= one.high;
  };
  Lead lead{.best = ahead(rival, ours) ? rival : ours, .evidence = {}};
  lead.leads = lead.best == ours;
  lead.decided = !holds_other(a, b.value) && !holds_other(b, a.value);
  lead.evidence =
      fmt::format("{} {}, the best other {} {}, random {}{}", ours, interval(a, 3), rival, interval(b, 3),
                  figure(cells.at("random").value, 3), lead.decided ? "" : "; too close to tell");
  return lead;
}

}  // namespace headwater
