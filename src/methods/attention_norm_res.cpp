// Attention norm with the residual path (Kobayashi et al., 2021),
//
//   ‖R_ij‖ = ‖f_ij + [i = j] x_i‖
//
// and per query the mixing ratio m_i / (m_i + p_i), m_i = ‖Σ_{j≠i} R_ij‖, p_i = ‖R_ii‖: how much of what is
// written comes from other tokens. Attention to another stack has ‖f_ij‖, and ‖x_i‖ beside the row.
#include "methods/norm_family.h"

namespace headwater {

extern const Method attention_norm_res{
    .name = "attention_norm_res",
    .summary = "Each token's part in the sum of attention and residual path, as the length of its vector.",
    .question = Question::Mixing,
    .formula =
        "N[l,i,j] = ‖f[l,i,j] + [i = j] x[l,i]‖₂,  f[l,i,j] = Σₕ α[l,h,i,j] v[l,h,j] W_O[l,h];  mixing ratio "
        "= ‖Σ_{j≠i}‖ / (‖Σ_{j≠i}‖ + ‖i‖)",
    .paper =
        "Kobayashi et al., 2021: Incorporating Residual and Normalization Layers into Analysis of Masked "
        "Language Models. EMNLP",
    .cost = norm_cost,
    .limits =
        "The norms and the feed-forward layers are not in it, nor is the target. The bias of the output "
        "projection belongs to no token and is left out. Past attention to another stack the residual path "
        "is no token that is read: the detail cross_residual has its length.",
    .options = {normalise_option},
    .claims = {.nonnegative = true, .causal = true},
    .mixing = Mixing::Complete,
    .sites = norm_sites(NormStage::Residual),

    .compute = run_norms<NormStage::Residual>,
    .planned_bytes = planned_norms<NormStage::Residual>,
};

}  // namespace headwater
