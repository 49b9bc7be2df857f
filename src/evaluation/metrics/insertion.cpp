// Insertion (Petsiuk, Das & Saenko, 2018): the target's probability p as units come back, in the order of
// their scores, into an input from which all were taken. With k_j of n units back at step j,
//
//   AUC = Σ_j (x_j − x_{j−1}) (p_j + p_{j−1}) / 2,   x_j = k_j / n
//
// The most important first, it should rise soon: higher is better. The least important first, it should not.
#include "evaluation/metrics/erasure_curves.h"

namespace headwater {

extern const Evaluation insertion;
const Evaluation insertion{
    .name = "insertion",
    .summary =
        "The target's probability as units are put back into an empty input, the most important first.",
    .formula = "AUC = ∫ p(the first share s of units alone) ds by trapezoids",
    .paper =
        "Petsiuk, Das and Saenko, 2018: RISE: Randomized Input Sampling for Explanation of Black-box Models. "
        "BMVC",
    .better = Evaluation::Better::Higher,
    .turned_by = "order=least",
    .options = {steps_option,
                {"order", "most|least", "most", "which units come first: the most or the least important"},
                replace_option,
                measured_quantity},
    .curve_over = "share of units present",
    .asks = asks_at_steps<only_first>,
    .measure = area_over_steps,
    .points = points_of_steps,
};

}  // namespace headwater
