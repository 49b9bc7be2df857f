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
    .summary =
        "Each token's contribution to the sum of attention and residual path, as the length of its vector.",
    .question = Question::Mixing,
    .formula =
        "N[l,i,j] = ‖f[l,i,j] + [i = j] x[l,i]‖₂,  f[l,i,j] = Σₕ α[l,h,i,j] v[l,h,j] W_O[l,h];  mixing ratio "
        "= ‖Σ_{j≠i}‖ / (‖Σ_{j≠i}‖ + ‖i‖)",
    .paper =
        "Kobayashi et al., 2021: Incorporating Residual and Normalization Layers into Analysis of Masked "
        "Language Models. EMNLP",
    .cost = norm_cost,
    .limits =
        "It leaves out the norms, the feed-forward layers and the target, and also the bias of the output "
        "projection, which belongs to no token. In cross-attention the residual path is not one of the "
        "tokens that are read; the detail cross_residual has its length.",
    .options = {normalise_option},
    .claims = {.nonnegative = true, .causal = true},
    .mixing = Mixing::Complete,
    .sites = norm_sites(NormStage::Residual),

    .compute = run_norms<NormStage::Residual>,
    .planned_bytes = planned_norms<NormStage::Residual>,
};

}  // namespace headwater
