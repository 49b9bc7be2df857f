// The share of the k most important units that two methods have in common,
//
//   |top_k(a) ∩ top_k(b)| / k
//
// k at most the number of units; of equal scores the ones further left count first.
#include <algorithm>

#include "evaluation/metrics/evaluation.h"
#include "evaluation/trial/erasure.h"

namespace headwater {

namespace {

EvaluationValue measure(const Trial& trial, const MethodOptions& options, std::span<const Reply>) {
  const std::size_t k = std::min(static_cast<std::size_t>(options.integer("k")), trial.scores.size());
  if (k == 0) return no_value();
  const std::vector<std::size_t> a = erasure_order(trial.scores, First::Most),
                                 b = erasure_order(trial.reference, First::Most);
  const auto top = [k](const std::vector<std::size_t>& order, std::size_t unit) {
    return std::find(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k), unit) !=
           order.begin() + static_cast<std::ptrdiff_t>(k);
  };
  double common = 0;
  for (std::size_t unit = 0; unit < trial.scores.size(); ++unit) common += top(a, unit) && top(b, unit);
  return {.value = common / static_cast<double>(k)};
}

}  // namespace

extern const Evaluation top_k_agreement;
const Evaluation top_k_agreement{
    .name = "top_k_agreement",
    .summary = "The share of the most important units that two methods have in common.",
    .formula = "|top_k(a) ∩ top_k(b)| / k",
    .paper =
        "Krishna, Han, Gu, Pombra, Jabbari, Wu and Lakkaraju, 2022: The Disagreement Problem in Explainable "
        "Machine Learning. arXiv 2202.01602",
    .better = Evaluation::Better::Higher,
    .options = {{"k", "integer", "3", "number of units of each method", 1, 10000}, with_option},
    .reference = reference_of,
    .measure = measure,
};

}  // namespace headwater
