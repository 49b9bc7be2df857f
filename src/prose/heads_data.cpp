// Results over labelled inputs as CSV (RFC 4180).
#include <fmt/format.h>

#include "files/csv.h"
#include "prose/heads_text.h"
#include "result/many_inputs.h"

namespace headwater {

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

}  // namespace headwater
