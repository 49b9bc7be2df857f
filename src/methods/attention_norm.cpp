// Attention norm (Kobayashi et al., 2020): how long the vector is that attention carries from token j to
// token i,
//
//   ‖f_ij‖ = ‖Σ_h α^h_ij u^h_j‖        u^h_j = v^h_j W_O^h, the value as head h writes it
//
// or per head α^h_ij ‖u^h_j‖. A large weight on a short value then counts as little as it moves.
#include "methods/norm_family.h"

namespace headwater {

extern const Method attention_norm{
    .name = "attention_norm",
    .summary =
        "Attention weighted by what it carries: the length of the vector moved from each token to each "
        "other.",
    .question = Question::Mixing,
    .formula = "N[l,i,j] = ‖Σₕ α[l,h,i,j] u[l,h,j]‖₂,  u[l,h,j] = v[l,h,j] W_O[l,h]",
    .paper =
        "Kobayashi et al., 2020: Attention is Not Only a Weight: Analyzing Transformers with Vector Norms. "
        "EMNLP",
    .cost = norm_cost,
    .limits =
        "It leaves out the residual path, the norms, the feed-forward layers and the target. A long vector "
        "may point where later layers do not look.",
    .options = {{"heads", "sum|each", "sum", "sum: the heads' vectors are added; each: one map per head"},
                normalise_option},
    .claims = {.nonnegative = true, .causal = true},
    .mixing = Mixing::Partial,
    .sites = norm_sites(NormStage::Attention),
    .compute = run_norms<NormStage::Attention>,
    .planned_bytes = planned_norms<NormStage::Attention>,
};

}  // namespace headwater
