#include "prose/evaluate_writer.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "files/csv.h"
#include "result/many_inputs.h"
#include "result/sentence.h"

namespace headwater {
namespace {

using Better = EvaluationMetric::Better;

constexpr double significant = 0.05;

const EvaluationCell& evaluated_cell(const EvaluateReport& report, std::size_t metric, std::size_t method) {
  return report.cells[metric * report.methods.size() + method];
}

std::string evaluated_number(double value) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, std::abs(value) >= 10 ? 2 : 4) : "–";
}

// A number with its interval beside it.
DocumentCell interval_cell(const EvaluationCell& cell, bool best) {
  if (!std::isfinite(cell.value)) return {"–"};
  return {evaluated_number(cell.value),
          fmt::format("[{}, {}]", evaluated_number(cell.low), evaluated_number(cell.high)), best};
}

// The method with the best figure except the random explanation; the first of equals. None if neither
// direction is better.
std::size_t best_of(const EvaluateReport& report, std::size_t metric) {
  if (report.metrics[metric].better == Better::Neither) return report.methods.size();
  std::size_t best = 0;
  for (std::size_t m = 1; m + 1 < report.methods.size(); ++m) {
    const double now = evaluated_cell(report, metric, m).value;
    const double so_far = evaluated_cell(report, metric, best).value;
    if (std::isnan(so_far) || (report.metrics[metric].better == Better::Higher ? now > so_far : now < so_far))
      best = m;
  }
  return best;
}

// The pair of two methods for a metric, in either order; null: not compared.
const EvaluationPair* pair_of(const EvaluateReport& report, const std::string& metric, const std::string& a,
                              const std::string& b) {
  for (const EvaluationPair& pair : report.pairs)
    if (pair.metric == metric &&
        ((pair.first == a && pair.second == b) || (pair.first == b && pair.second == a)))
      return &pair;
  return nullptr;
}

std::string p_text(double p) {
  return p < 1e-4 ? "p < 0.0001" : fmt::format("p {:.4f}", p);
}

// Methods that do not differ significantly from this one: "lime (p 0.3100)".
std::vector<std::string> alike(const EvaluateReport& report, const std::string& metric,
                               const std::string& method) {
  std::vector<std::string> found;
  for (const std::string& other : report.methods) {
    if (other == method) continue;
    const EvaluationPair* pair = pair_of(report, metric, method, other);
    if (pair != nullptr && pair->adjusted >= significant)
      found.push_back(fmt::format("{} ({})", other, p_text(pair->adjusted)));
  }
  return found;
}

// The result of the tests, one line per metric.
std::vector<std::string> findings(const EvaluateReport& report) {
  std::vector<std::string> lines;
  for (std::size_t k = 0; k < report.metrics.size(); ++k) {
    const std::string& metric = report.metrics[k].name;
    if (pair_of(report, metric, report.methods.front(), report.methods.back()) == nullptr) continue;
    if (report.metrics[k].better == Better::Neither) continue;
    const std::string& best = report.methods[best_of(report, k)];
    const std::vector<std::string> near = alike(report, metric, best),
                                   chance = alike(report, metric, "random");
    lines.push_back(fmt::format(
        "{}: {} is {}; {}", metric, best,
        near.empty() ? "significantly better than every other method"
                     : fmt::format("best, but not significantly better than {}", fmt::join(near, ", ")),
        chance.empty()
            ? "all methods differ significantly from random"
            : fmt::format("not significantly different from random: {}", fmt::join(chance, ", "))));
  }
  return lines;
}

std::string header_line(const EvaluateReport& report) {
  std::string text = fmt::format("{} examples", report.examples);
  if (report.left_out > 0) text += fmt::format(", {} left out", report.left_out);
  return text + fmt::format("; {:.0f} % intervals from {} resamples, seed {}; ↑ higher is better, ↓ lower",
                            100 * report.level, report.resamples, report.seed);
}

std::string tests_line() {
  return fmt::format(
      "Paired tests (Wilcoxon's signed ranks, Holm's correction over the pairs of a metric; significant: p < "
      "{})",
      significant);
}

// The number of examples with a value of a metric, if these are not all.
std::vector<std::string> coverage(const EvaluateReport& report) {
  std::vector<std::string> lines;
  const std::size_t explained = report.examples - report.left_out;
  for (const EvaluationCell& cell : report.cells)
    if (cell.examples != explained)
      lines.push_back(fmt::format("{} of {}: {} of {} examples have a value.", cell.metric, cell.method,
                                  cell.examples, explained));
  return lines;
}

std::string evaluate_csv(const EvaluateReport& report) {
  std::string text = "metric,method,other,x,value,low,high,p,adjusted_p,examples\n";
  for (const EvaluationCell& cell : report.cells) {
    const std::string name = csv_field(cell.metric) + "," + csv_field(cell.method);
    text += fmt::format("{},,,{},{},{},,,{}\n", name, csv_number(cell.value), csv_number(cell.low),
                        csv_number(cell.high), cell.examples);
    for (std::size_t j = 0; j < cell.x.size(); ++j)
      text += fmt::format("{},,{},{},{},{},,,{}\n", name, csv_number(cell.x[j]), csv_number(cell.curve[j]),
                          csv_number(cell.lows[j]), csv_number(cell.highs[j]), cell.examples);
  }
  for (const EvaluationPair& pair : report.pairs)
    text += fmt::format("{},{},{},,{},,,{},{},{}\n", csv_field(pair.metric), csv_field(pair.first),
                        csv_field(pair.second), csv_number(pair.difference), csv_number(pair.p),
                        csv_number(pair.adjusted), pair.examples);
  return text;
}

}  // namespace

Document evaluate_document(const EvaluateReport& report, const std::string& command) {
  DocumentTable table{.header = {"method"}, .rows = {}, .right = "l", .ruled = report.methods.size() - 1};
  for (const EvaluationMetric& metric : report.metrics)
    table.add_number_column(metric.name + arrow_of(metric));
  for (std::size_t m = 0; m < report.methods.size(); ++m) {
    table.rows.push_back({report.methods[m]});
    for (std::size_t k = 0; k < report.metrics.size(); ++k)
      table.rows.back().push_back(interval_cell(evaluated_cell(report, k, m), best_of(report, k) == m));
  }
  Document document{.title = header_line(report), .record = report.record, .command = command};
  document.parts = {DocumentLine{document.title}, DocumentLine{}, std::move(table), DocumentLine{}};
  if (auto lines = findings(report); !lines.empty())
    document.parts.emplace_back(DocumentList{tests_line(), std::move(lines)});
  DocumentChecks notes{.notes = report.notes};
  for (const std::string& line : coverage(report)) notes.notes.push_back(line);
  document.parts.emplace_back(std::move(notes));
  document.json = [=] { return evaluate_json(report, command); };
  document.csv = [=] { return evaluate_csv(report); };
  return document;
}

}  // namespace headwater
