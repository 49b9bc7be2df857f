// Comprehensiveness (DeYoung et al., 2020), over several shares (AOPC): with r_s the top s % of the units,
// rounded up,
//
//   1/|S| Σ_{s ∈ S} p(x) − p(x \ r_s)
//
// An explanation that names all that matters takes the probability with it: higher is better.
#include "evaluation/metrics/erasure_curves.h"

namespace headwater {

extern const Evaluation comprehensiveness;
const Evaluation comprehensiveness{
    .name = "comprehensiveness",
    .summary = "How far the target's probability falls when the most important units are removed.",
    .formula = "1/|S| Σ_{s ∈ S} p(x) − p(x without its top s % of units)",
    .paper =
        "DeYoung, Jain, Rajani, Lehman, Xiong, Socher and Wallace, 2020: ERASER: A Benchmark to Evaluate "
        "Rationalized NLP Models. ACL",
    .better = Evaluation::Better::Higher,
    .options = {shares_option, replace_option},
    .curve_over = "share of units removed",
    .asks = asks_at_shares<without_first>,
    .measure = falls_at_shares,
    .points = share_points,
};

}  // namespace headwater
