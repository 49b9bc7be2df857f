// Results over labelled inputs for programs: JSON with checks, record and command, and CSV (RFC 4180) with
// the same numbers.
#include <utility>

#include <fmt/format.h>

#include "base/strings.h"
#include "report/csv.h"
#include "report/heads_text.h"
#include "report/provenance.h"

namespace headwater {

namespace {

std::string as_file(const OrderedJson& json) {
  return dump(json, 2) + "\n";
}

}  // namespace

std::string heads_json(std::span<const HeadImportance> rankings, const std::string& command) {
  OrderedJson all = OrderedJson::array();
  for (const HeadImportance& ranking : rankings) {
    OrderedJson rows = OrderedJson::array();
    for (int l = 0; l < ranking.layers; ++l) {
      const auto begin = ranking.scores.begin() + static_cast<std::ptrdiff_t>(l) * ranking.heads;
      rows.push_back(std::vector<double>(begin, begin + ranking.heads));
    }
    all.push_back({{"ranking", ranking.ranking},
                   {"inputs", ranking.inputs},
                   {"unresolved", ranking.unresolved},
                   {"scores", std::move(rows)},
                   {"checks", json_of(ranking.checks)}});
  }
  OrderedJson json{{"schema", "headwater.heads/1"}, {"rankings", std::move(all)}};
  add_record(json, record_of(rankings), command);
  return as_file(json);
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
  OrderedJson all = OrderedJson::array();
  for (const PruningCurve& curve : report.curves) {
    OrderedJson one{{"ranking", curve.ranking},
                    {"scope", curve.scope},
                    {"first", curve.order},
                    {"rates", curve.rates},
                    {"accuracy", curve.accuracy}};
    if (!curve.lowest.empty()) {
      one["lowest"] = curve.lowest;
      one["highest"] = curve.highest;
    }
    all.push_back(std::move(one));
  }
  OrderedJson json{{"schema", "headwater.pruning/1"},
                   {"inputs", report.inputs},
                   {"curves", std::move(all)},
                   {"checks", json_of(report.checks)}};
  add_record(json, report.record, command);
  return as_file(json);
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
  OrderedJson triggers = OrderedJson::array();
  for (const Trigger& trigger : report.triggers) {
    OrderedJson tokens = OrderedJson::array();
    for (const TriggerToken& token : trigger.tokens)
      tokens.push_back(
          {{"id", token.id}, {"text", token.text}, {"sequence", token.sequence}, {"place", token.place}});
    triggers.push_back({{"label", trigger.label},
                        {"source", trigger.source},
                        {"strength", trigger.strength},
                        {"tokens", std::move(tokens)},
                        {"accuracy", trigger.accuracy}});
  }
  OrderedJson json{{"schema", "headwater.triggers/1"}, {"labels", report.labels},
                   {"inputs", report.inputs},          {"accuracy", report.accuracy},
                   {"unresolved", report.unresolved},  {"cut", report.cut},
                   {"triggers", std::move(triggers)},  {"checks", json_of(report.checks)}};
  add_record(json, report.record, command);
  return as_file(json);
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
