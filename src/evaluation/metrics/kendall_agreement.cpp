// Kendall's τ-b of two methods' scores over the units of an example, ties as they are. With occlusion it is
// the τ with leave-one-out of Jain & Wallace (2019). No value where one side has no order.
#include "evaluation/metrics/evaluation.h"
#include "numerics/rank_correlation.h"

namespace headwater {

namespace {

EvaluationValue measure(const Trial& trial, const MethodOptions&, std::span<const Reply>) {
  return {.value = kendall_tau_b(trial.scores, trial.reference)};
}

}  // namespace

extern const Evaluation kendall_agreement;
const Evaluation kendall_agreement{
    .name = "kendall_agreement",
    .summary = "How far two methods order the units alike: Kendall's τ-b.",
    .formula = "τ_b = (P − Q) / √((n₀ − n₁)(n₀ − n₂)), pairs in the same and in the other order",
    .paper =
        "Kendall, 1945: The Treatment of Ties in Ranking Problems. Biometrika; Jain and Wallace, 2019: "
        "Attention "
        "is not Explanation. NAACL",
    .better = Evaluation::Better::Higher,
    .options = {with_option},
    .reference = reference_of,
    .measure = measure,
};

}  // namespace headwater
