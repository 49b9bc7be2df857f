// Class sensitivity (Li et al., 2021; Sixt, Granz & Landgraf, 2020): the scores a of what is explained and b
// of the likeliest other label or token,
//
//   ρ(a, b)   Spearman
//
// What speaks for one class should not speak for another: lower is better, 1 is an explanation that does not
// know the class. No value where one side has no order, or for targets that have no other class.
#include <cmath>

#include "evaluation/metrics/evaluation.h"
#include "numerics/rank_correlation.h"

namespace headwater {

namespace {

std::vector<Variation> variations(const ModelInfo&, const MethodOptions&) {
  return {{Variation::Kind::OtherClass}};
}

EvaluationValue measure(const Trial& trial, const MethodOptions&, std::span<const Reply>) {
  if (trial.varied.front().empty()) return no_value();
  return {.value = spearman(trial.scores, trial.varied.front())};
}

}  // namespace

extern const Evaluation class_sensitivity;
const Evaluation class_sensitivity{
    .name = "class_sensitivity",
    .summary = "How similar the explanations of two classes are.",
    .formula = "ρ(scores of the target, scores of the likeliest other class), Spearman",
    .paper =
        "Sixt, Granz and Landgraf, 2020: When Explanations Lie: Why Many Modified BP Attributions Fail. "
        "ICML; Li, "
        "Pang, Liu, Huang, Zhao and others, 2021: An Experimental Study of Quantitative Evaluations on "
        "Saliency "
        "Methods. KDD",
    .better = Evaluation::Better::Lower,
    .variations = variations,
    .measure = measure,
};

}  // namespace headwater
