// Spearman's ρ of two methods' scores over the units of an example, average ranks for ties. With occlusion it
// is the faithfulness of Abnar & Zuidema (2020) and of Mohebbi et al. (2023), blank-out; with saliency their
// input gradients. No value where one side has no order: one unit, or all scores equal.
#include "evaluation/metrics/evaluation.h"
#include "numerics/rank_correlation.h"

namespace headwater {

namespace {

EvaluationValue measure(const Trial& trial, const MethodOptions&, std::span<const Reply>) {
  return {.value = spearman(trial.scores, trial.reference)};
}

}  // namespace

extern const Evaluation spearman_agreement;
const Evaluation spearman_agreement{
    .name = "spearman_agreement",
    .summary = "How far two methods order the units alike: Spearman's ρ.",
    .formula = "ρ = Pearson's correlation of the average ranks of the two methods' scores",
    .paper =
        "Abnar and Zuidema, 2020: Quantifying Attention Flow in Transformers. ACL; Mohebbi, Zuidema, "
        "Chrupała and "
        "Alishahi, 2023: Quantifying Context Mixing in Transformers. EACL",
    .better = Evaluation::Better::Higher,
    .options = {with_option},
    .reference = reference_of,
    .measure = measure,
};

}  // namespace headwater
