#include "prose/heads_text.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "files/csv.h"
#include "prose/table.h"
#include "result/many_inputs.h"
#include "result/text_width.h"

namespace headwater {

namespace {

std::string unresolved_text(int inputs) {
  return fmt::format("  {} {} attributions missed the tolerance", inputs,
                     inputs == 1 ? "input's" : "inputs'");
}

// Appends one cell per share to the table's last row.
void add_percents(DocumentTable& table, const std::vector<double>& shares) {
  for (const double share : shares) table.rows.back().emplace_back(percent_cell(share));
}

std::string strongest_of(const HeadImportance& ranking) {
  std::vector<int> order(ranking.scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return ranking.scores[static_cast<std::size_t>(a)] > ranking.scores[static_cast<std::size_t>(b)];
  });
  std::string text = "  strongest";
  for (std::size_t k = 0; k < std::min<std::size_t>(8, order.size()); ++k)
    text += fmt::format("  L{}H{}", order[k] / ranking.heads, order[k] % ranking.heads);
  return text;
}

// Layers down, heads across, coloured by importance.
DocumentTable ranking_table(const HeadImportance& ranking) {
  const double peak = std::accumulate(ranking.scores.begin(), ranking.scores.end(), 1e-300,
                                      [](double a, double b) { return std::max(a, std::abs(b)); });
  DocumentTable table{.header = {""}, .rows = {}, .right = "r", .gap = 1};
  for (int h = 0; h < ranking.heads; ++h) table.add_number_column(fmt::format("H{}", h));
  for (int l = 0; l < ranking.layers; ++l) {
    table.rows.push_back({fmt::format("{:>5}", fmt::format("L{}", l))});
    for (int h = 0; h < ranking.heads; ++h) {
      const double score = ranking.scores[static_cast<std::size_t>(l * ranking.heads + h)];
      table.rows.back().emplace_back(fmt::format("{:>9.5f}", score));
      table.rows.back().back().share = score / peak;
    }
  }
  return table;
}

void add_ranking(Document& document, const HeadImportance& ranking) {
  if (!document.parts.empty()) document.parts.emplace_back(DocumentLine{});
  document.parts.emplace_back(DocumentLine{fmt::format("{}  ({} inputs)", ranking.ranking, ranking.inputs)});
  document.parts.emplace_back(ranking_table(ranking));
  document.parts.emplace_back(DocumentLine{strongest_of(ranking)});
  if (ranking.unresolved > 0) document.parts.emplace_back(DocumentLine{unresolved_text(ranking.unresolved)});
  document.parts.emplace_back(DocumentChecks{.checks = ranking.checks});
}

std::string heads_csv(std::span<const HeadImportance> rankings) {
  std::string out = "ranking,layer,head,score\n";
  for (const HeadImportance& ranking : rankings)
    for (int i = 0; i < ranking.layers * ranking.heads; ++i)
      out += fmt::format("{},{},{},{}\n", csv_field(ranking.ranking), i / ranking.heads, i % ranking.heads,
                         csv_number(ranking.scores[static_cast<std::size_t>(i)]));
  return out;
}

std::string curves_csv(const PruningReport& report) {
  std::string out = "ranking,scope,first,rate,accuracy,lowest,highest\n";
  for (const PruningCurve& curve : report.curves)
    for (std::size_t r = 0; r < curve.rates.size(); ++r)
      out += fmt::format("{},{},{},{},{},{},{}\n", csv_field(curve.ranking), curve.scope, curve.order,
                         csv_number(curve.rates[r]), csv_number(curve.accuracy[r]),
                         curve.lowest.empty() ? "" : csv_number(curve.lowest[r]),
                         curve.highest.empty() ? "" : csv_number(curve.highest[r]));
  return out;
}

std::string triggers_csv(const TriggerReport& report) {
  std::string out = "trigger,pattern,from,source,strength,label,inputs,accuracy\n";
  const auto add = [&](const std::string& start, const std::vector<double>& accuracy) {
    for (std::size_t k = 0; k < report.labels.size(); ++k)
      out += fmt::format("{},{},{},{}\n", start, csv_field(report.labels[k]), report.inputs[k],
                         csv_number(accuracy[k]));
  };
  add("0,,,,", report.accuracy);  // without a trigger
  for (std::size_t t = 0; t < report.triggers.size(); ++t) {
    const Trigger& trigger = report.triggers[t];
    add(fmt::format("{},{},{},{},{}", t + 1, csv_field(pattern_of(trigger)), csv_field(trigger.label),
                    csv_field(trigger.source), csv_number(trigger.strength)),
        trigger.accuracy);
  }
  return out;
}

}  // namespace

Document heads_document(const std::vector<HeadImportance>& rankings, const std::string& command) {
  Document document{
      .title = "Importance of attention heads", .record = record_of(rankings), .command = command};
  for (const HeadImportance& ranking : rankings) add_ranking(document, ranking);
  document.json = [=] { return heads_json(rankings, command); };
  document.csv = [=] { return heads_csv(rankings); };
  return document;
}

Document curves_document(const PruningReport& report, const std::string& command) {
  DocumentTable table{.header = {"ranking", "scope", "first"}, .rows = {}};
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
  Document document{.title = fmt::format("accuracy in % when this share of the heads is removed ({} inputs)",
                                         report.inputs),
                    .record = report.record,
                    .command = command};
  document.parts = {DocumentLine{document.title}, std::move(table), DocumentChecks{.checks = report.checks}};
  document.json = [=] { return curves_json(report, command); };
  document.csv = [=] { return curves_csv(report); };
  return document;
}

Document triggers_document(const TriggerReport& report, const std::string& command) {
  DocumentTable table{.header = {"pattern", "from", "strength"}, .rows = {}, .right = "llr"};
  for (std::size_t k = 0; k < report.labels.size(); ++k)
    table.add_number_column(fmt::format("{} ({})", visible(report.labels[k]), report.inputs[k]));
  table.rows.push_back({"(none)", "", ""});
  add_percents(table, report.accuracy);
  for (const Trigger& trigger : report.triggers) {
    table.rows.push_back(
        {visible(pattern_of(trigger)), visible(trigger.label), fmt::format("{:.4f}", trigger.strength)});
    add_percents(table, trigger.accuracy);
  }
  Document document{.title = "accuracy in % per gold label, with the pattern inserted",
                    .record = report.record,
                    .command = command};
  document.parts = {DocumentLine{document.title}, std::move(table)};
  if (report.unresolved > 0) document.parts.emplace_back(DocumentLine{unresolved_text(report.unresolved)});
  if (report.cut > 0)
    document.parts.emplace_back(DocumentLine{
        fmt::format("  {} times an input lost its end to a pattern, at the model's limit", report.cut)});
  document.parts.emplace_back(DocumentChecks{.checks = report.checks});
  document.json = [=] { return triggers_json(report, command); };
  document.csv = [=] { return triggers_csv(report); };
  return document;
}

}  // namespace headwater
