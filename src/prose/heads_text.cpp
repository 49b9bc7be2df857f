#include "prose/heads_text.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "drawing/colours.h"
#include "prose/provenance.h"
#include "prose/table.h"
#include "result/many_inputs.h"
#include "result/text_width.h"

namespace headwater {

namespace {

std::string unresolved_text(int inputs) {
  if (inputs == 0) return {};
  return fmt::format("  {} {} attributions missed the tolerance\n", inputs,
                     inputs == 1 ? "input's" : "inputs'");
}

std::string cut_text(int inputs) {
  if (inputs == 0) return {};
  return fmt::format("  {} times an input lost its end to a pattern, at the model's limit\n", inputs);
}

// Appends one cell per share to the table's last row.
void add_percents(Table& table, const std::vector<double>& shares) {
  for (const double share : shares) table.rows.back().push_back(percent_cell(share));
}

std::string ranking_text(const HeadImportance& ranking, const TerminalFormat& format) {
  const double peak = std::accumulate(ranking.scores.begin(), ranking.scores.end(), 1e-300,
                                      [](double a, double b) { return std::max(a, std::abs(b)); });
  std::string out = fmt::format("{}  ({} inputs)\n     ", ranking.ranking, ranking.inputs);
  for (int h = 0; h < ranking.heads; ++h) out += fmt::format(" {:>9}", fmt::format("H{}", h));
  out += '\n';
  const auto score = [&](int l, int h) {
    return ranking.scores[static_cast<std::size_t>(l) * static_cast<std::size_t>(ranking.heads) +
                          static_cast<std::size_t>(h)];
  };
  for (int l = 0; l < ranking.layers; ++l) {
    out += fmt::format("{:>5}", fmt::format("L{}", l));
    for (int h = 0; h < ranking.heads; ++h)
      out += " " + painted(fmt::format("{:>9.5f}", score(l, h)), score(l, h) / peak, format.colour);
    out += '\n';
  }
  std::vector<int> order(ranking.scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return ranking.scores[static_cast<std::size_t>(a)] > ranking.scores[static_cast<std::size_t>(b)];
  });
  out += "  strongest";
  for (std::size_t k = 0; k < std::min<std::size_t>(8, order.size()); ++k)
    out += fmt::format("  L{}H{}", order[k] / ranking.heads, order[k] % ranking.heads);
  return out + "\n" + unresolved_text(ranking.unresolved) + checks_text(ranking.checks, {}, format);
}

}  // namespace

std::string heads_text(std::span<const HeadImportance> rankings, const std::string& command,
                       const TerminalFormat& format) {
  std::string out;
  for (const HeadImportance& ranking : rankings)
    out += (out.empty() ? "" : "\n") + ranking_text(ranking, format);
  return out + record_text(record_of(rankings), format, command);
}

std::string curves_text(const PruningReport& report, const std::string& command,
                        const TerminalFormat& format) {
  Table table{.header = {"ranking", "scope", "first"}, .rows = {}, .right = ""};
  for (const double rate : report.curves.front().rates)
    table.add_number_column(fmt::format("{:.0f} %", 100 * rate));
  for (const PruningCurve& curve : report.curves) {
    table.rows.push_back({curve.ranking, curve.scope, curve.order});
    add_percents(table, curve.accuracy);
    for (const auto& [name, values] :
         {std::pair("lowest", curve.lowest), std::pair("highest", curve.highest)}) {
      if (values.empty()) continue;
      table.rows.push_back({"", "", name});
      add_percents(table, values);
    }
  }
  return fmt::format("accuracy in % when this share of the heads is removed ({} inputs)\n", report.inputs) +
         table.str() + checks_text(report.checks, {}, format) + record_text(report.record, format, command);
}

std::string triggers_text(const TriggerReport& report, const std::string& command,
                          const TerminalFormat& format) {
  Table table{.header = {"pattern", "from", "strength"}, .rows = {}, .right = "llr"};
  for (std::size_t k = 0; k < report.labels.size(); ++k)
    table.add_number_column(fmt::format("{} ({})", visible(report.labels[k]), report.inputs[k]));
  table.rows.push_back({"(none)", "", ""});
  add_percents(table, report.accuracy);
  for (const Trigger& trigger : report.triggers) {
    table.rows.push_back(
        {visible(pattern_of(trigger)), visible(trigger.label), fmt::format("{:.4f}", trigger.strength)});
    add_percents(table, trigger.accuracy);
  }
  return "accuracy in % per gold label, with the pattern inserted\n" + table.str() +
         unresolved_text(report.unresolved) + cut_text(report.cut) + checks_text(report.checks, {}, format) +
         record_text(report.record, format, command);
}

}  // namespace headwater
