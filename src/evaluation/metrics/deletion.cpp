// Deletion (Petsiuk, Das & Saenko, 2018; for text DeYoung et al., 2020; perturbation of Chefer, Gur & Wolf,
// 2021): the target's probability p as units go in the order of their scores. With k_j of n units gone at
// step j,
//
//   AUC = Σ_j (x_j − x_{j−1}) (p_j + p_{j−1}) / 2,   x_j = k_j / n
//
// The most important first, it should fall soon: lower is better. The least important first, it should stay.
#include "evaluation/metrics/erasure_curves.h"

namespace headwater {

extern const Evaluation deletion;
const Evaluation deletion{
    .name = "deletion",
    .summary = "The target's probability as units are removed, the most important first.",
    .formula = "AUC = ∫ p(x without its first share s of units) ds by trapezoids",
    .paper =
        "Petsiuk, Das and Saenko, 2018: RISE: Randomized Input Sampling for Explanation of Black-box Models. "
        "BMVC; Chefer, Gur and Wolf, 2021: Transformer Interpretability Beyond Attention Visualization. CVPR",
    .better = Evaluation::Better::Lower,
    .turned_by = "order=least",
    .options = {steps_option,
                {"order", "most|least", "most", "which units go first: the most or the least important"},
                replace_option,
                measured_quantity},
    .curve_over = "share of units removed",
    .asks = asks_at_steps<without_first>,
    .measure = area_over_steps,
    .points = points_of_steps,
};

}  // namespace headwater
