// Log-odds (Shrikumar, Greenside & Kundaje, 2017; for text Chen & Jordan, 2020): with r the top s % of the
// units, rounded up,
//
//   log p(x \ r) − log p(x)
//
// Lower is better. A probability of 0 counts as the least positive number.
#include <algorithm>
#include <cmath>
#include <limits>

#include "evaluation/metrics/evaluation.h"
#include "evaluation/trial/erasure.h"

namespace headwater {

namespace {

double log_of(double probability) {
  return std::log(std::max(probability, std::numeric_limits<double>::min()));
}

std::vector<Perturbation> asks(const Trial& trial, const MethodOptions& options) {
  const std::vector<std::size_t> order = erasure_order(trial.scores, First::Most);
  return {without_first(order, 0), without_first(order, share_count(order.size(), options.integer("share")))};
}

EvaluationValue measure(const Trial& trial, const MethodOptions&, std::span<const Reply> replies) {
  if (trial.scores.empty() || std::isnan(replies[0].probability)) return no_value();
  return {.value = log_of(replies[1].probability) - log_of(replies[0].probability)};
}

}  // namespace

extern const Evaluation log_odds;
const Evaluation log_odds{
    .name = "log_odds",
    .summary = "How far the target's log-probability falls when the most important units are removed.",
    .formula = "log p(x without its top s % of units) − log p(x)",
    .paper =
        "Shrikumar, Greenside and Kundaje, 2017: Learning Important Features Through Propagating Activation "
        "Differences. ICML; Chen and Jordan, 2020: LS-Tree: Model Interpretation When the Data Are "
        "Linguistic. "
        "AAAI",
    .better = Evaluation::Better::Lower,
    .options = {{"share", "integer", "20", "percentage of the units, rounded up", 1, 100}, replace_option},
    .asks = asks,
    .measure = measure,
};

}  // namespace headwater
