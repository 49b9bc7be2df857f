// Sufficiency (DeYoung et al., 2020), over several shares (AOPC): with r_s the top s % of the units, rounded
// up,
//
//   1/|S| Σ_{s ∈ S} p(x) − p(r_s alone)
//
// What an explanation names should be enough for the answer: lower is better.
#include "evaluation/metrics/erasure_curves.h"

namespace headwater {

extern const Evaluation sufficiency;
const Evaluation sufficiency{
    .name = "sufficiency",
    .summary = "How far the target's probability falls when only the most important units are kept.",
    .formula = "1/|S| Σ_{s ∈ S} p(x) − p(the top s % of units alone)",
    .paper =
        "DeYoung, Jain, Rajani, Lehman, Xiong, Socher and Wallace, 2020: ERASER: A Benchmark to Evaluate "
        "Rationalized NLP Models. ACL",
    .better = Evaluation::Better::Lower,
    .options = {shares_option, replace_option},
    .curve_over = "share of units kept",
    .asks = asks_at_shares<only_first>,
    .measure = falls_at_shares,
    .points = share_points,
};

}  // namespace headwater
