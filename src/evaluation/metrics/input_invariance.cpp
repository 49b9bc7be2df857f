// Input invariance (Kindermans et al., 2019): 1 is added to every number of the word embeddings, which the
// LayerNorm behind them takes out again, so that the model computes what it did. With a the scores before and
// b after,
//
//   max |a − b| / max |a|
//
// An explanation of what the model computes should stay: lower is better, 0 but for rounding. The run is
// refused for a model whose output moves.
#include "evaluation/metrics/evaluation.h"

namespace headwater {

namespace {

std::vector<Variation> variations(const ModelInfo&, const MethodOptions&) {
  return {{Variation::Kind::Shifted}};
}

EvaluationValue measure(const Trial& trial, const MethodOptions&, std::span<const Reply>) {
  if (trial.scores.empty()) return no_value();
  return {.value = largest_change(trial.scores, trial.varied.front())};
}

}  // namespace

extern const Evaluation input_invariance;
const Evaluation input_invariance{
    .name = "input_invariance",
    .summary =
        "How far an explanation changes when the embeddings are shifted in a way that the model does not "
        "see.",
    .formula = "max |a − b| / max |a|, before and after adding 1 to every embedding",
    .paper =
        "Kindermans, Hooker, Adebayo, Alber, Schütt, Dähne, Erhan and Kim, 2019: The (Un)reliability of "
        "Saliency "
        "Methods. Explainable AI, Springer",
    .better = Evaluation::Better::Lower,
    .variations = variations,
    .measure = measure,
};

}  // namespace headwater
