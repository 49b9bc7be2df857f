// Results over labelled inputs for programs: JSON with checks, record and command, and CSV (RFC 4180) with
// the same numbers.
#include <fmt/format.h>

#include "files/csv.h"
#include "files/record_json.h"
#include "files/schema.h"
#include "prose/heads_text.h"
#include "result/many_inputs.h"

namespace headwater {

std::string heads_json(std::span<const HeadImportance> rankings, const std::string& command) {
  const auto of_ranking = [](const HeadImportance& ranking) -> OrderedJson {
    std::vector<std::vector<double>> rows;
    for (int l = 0; l < ranking.layers; ++l) {
      const auto begin = ranking.scores.begin() + static_cast<std::ptrdiff_t>(l) * ranking.heads;
      rows.emplace_back(begin, begin + ranking.heads);
    }
    return {{"ranking", ranking.ranking},
            {"inputs", ranking.inputs},
            {"unresolved", ranking.unresolved},
            {"scores", rows},
            {"checks", json_of(ranking.checks)}};
  };
  return result_json({{"schema", "headwater.heads/1"}, {"rankings", list_of(rankings, of_ranking)}},
                     record_of(rankings), command);
}

std::string heads_csv(std::span<const HeadImportance> rankings) {
  std::string out = "ranking,layer,head,score\n";
  for (const HeadImportance& ranking : rankings)
    for (int i = 0; i < ranking.layers * ranking.heads; ++i)
      out += fmt::format("{},{},{},{}\n", csv_field(ranking.ranking), i / ranking.heads, i % ranking.heads,
                         csv_number(ranking.scores[static_cast<std::size_t>(i)]));
  return out;
}

std::string curves_json(const PruningReport& report, const std::string& command) {
  const auto of_curve = [](const PruningCurve& curve) {
    OrderedJson one{{"ranking", curve.ranking},
                    {"scope", curve.scope},
                    {"first", curve.order},
                    {"rates", curve.rates},
                    {"accuracy", curve.accuracy}};
    if (!curve.lowest.empty()) {
      one["lowest"] = curve.lowest;
      one["highest"] = curve.highest;
    }
    return one;
  };
  return result_json({{"schema", "headwater.pruning/1"},
                      {"inputs", report.inputs},
                      {"curves", list_of(report.curves, of_curve)},
                      {"checks", json_of(report.checks)}},
                     report.record, command);
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

std::string triggers_json(const TriggerReport& report, const std::string& command) {
  const auto of_token = [](const TriggerToken& token) -> OrderedJson {
    return {{"id", token.id}, {"text", token.text}, {"sequence", token.sequence}, {"place", token.place}};
  };
  const auto of_trigger = [&](const Trigger& trigger) -> OrderedJson {
    return {{"label", trigger.label},
            {"source", trigger.source},
            {"strength", trigger.strength},
            {"tokens", list_of(trigger.tokens, of_token)},
            {"accuracy", trigger.accuracy}};
  };
  return result_json({{"schema", "headwater.triggers/1"},
                      {"labels", report.labels},
                      {"inputs", report.inputs},
                      {"accuracy", report.accuracy},
                      {"unresolved", report.unresolved},
                      {"cut", report.cut},
                      {"triggers", list_of(report.triggers, of_trigger)},
                      {"checks", json_of(report.checks)}},
                     report.record, command);
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

}  // namespace headwater
