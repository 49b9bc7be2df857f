#include "result/many_inputs.h"

#include <fmt/format.h>

namespace headwater {

std::vector<Check> checks_of(std::span<const HeadImportance> rankings) {
  std::vector<Check> all;
  for (const HeadImportance& ranking : rankings)
    for (Check check : ranking.checks) {
      check.name = fmt::format("{}: {}", ranking.ranking, check.name);
      all.push_back(std::move(check));
    }
  return all;
}

RunRecord record_of(std::span<const HeadImportance> rankings) {
  RunRecord record = rankings.front().record;
  for (const HeadImportance& ranking : rankings.subspan(1)) record.seconds += ranking.record.seconds;
  return record;
}

std::string pattern_of(const Trigger& trigger) {
  std::string words;
  for (const TriggerToken& token : trigger.tokens) words += (words.empty() ? "" : " … ") + token.text;
  return words;
}

std::string arrow_of(const EvaluationMetric& metric) {
  return metric.better == EvaluationMetric::Better::Higher  ? " ↑"
         : metric.better == EvaluationMetric::Better::Lower ? " ↓"
                                                            : "";
}

std::string after(int state) {
  return state == 0 ? "embeddings" : fmt::format("layer {}", state - 1);
}

}  // namespace headwater
