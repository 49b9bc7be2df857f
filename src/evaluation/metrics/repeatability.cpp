// Repeatability: the same explanation made twice, scores a and b,
//
//   max |a − b| / max |a|
//
// 0 is the same numbers again. Methods that draw samples draw them by their seed and should give 0 as well.
#include "evaluation/metrics/evaluation.h"

namespace headwater {

namespace {

std::vector<Variation> variations(const ModelInfo&, const MethodOptions&) {
  return {{Variation::Kind::Again}};
}

EvaluationValue measure(const Trial& trial, const MethodOptions&, std::span<const Reply>) {
  if (trial.scores.empty()) return no_value();
  return {.value = largest_change(trial.scores, trial.varied.front())};
}

}  // namespace

extern const Evaluation repeatability;
const Evaluation repeatability{
    .name = "repeatability",
    .summary = "How far an explanation changes when it is computed a second time.",
    .formula = "max |a − b| / max |a| for two runs of the same request",
    .paper =
        "Alvarez-Melis and Jaakkola, 2018: On the Robustness of Interpretability Methods. arXiv 1806.08049",
    .better = Evaluation::Better::Lower,
    .variations = variations,
    .measure = measure,
};

}  // namespace headwater
