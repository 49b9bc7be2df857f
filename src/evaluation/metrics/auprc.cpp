// AUPRC against human rationales (DeYoung et al., 2020): the area under precision over recall as words are
// taken by falling scores, by trapezoids; equal scores are taken together. Words that the model did not see
// come last. No value where nothing was marked.
#include "evaluation/metrics/evaluation.h"
#include "evaluation/trial/rationale.h"
#include "numerics/ranking_quality.h"

namespace headwater {

namespace {

EvaluationValue measure(const Trial& trial, const MethodOptions&, std::span<const Reply>) {
  std::vector<bool> evidence;
  for (const AnnotatedWord& word : trial.sample.words) evidence.push_back(word.evidence);
  return {.value = precision_recall_area(word_scores(trial.rows.back(), trial.sample), evidence)};
}

}  // namespace

extern const Evaluation auprc;
const Evaluation auprc{
    .name = "auprc",
    .summary = "How well the scores rank the words that annotators marked before the others.",
    .formula = "∫ precision d recall over falling scores, by trapezoids",
    .paper =
        "DeYoung, Jain, Rajani, Lehman, Xiong, Socher and Wallace, 2020: ERASER: A Benchmark to Evaluate "
        "Rationalized NLP Models. ACL",
    .better = Evaluation::Better::Higher,
    .needs = Evaluation::Needs::Evidence,
    .measure = measure,
};

}  // namespace headwater
