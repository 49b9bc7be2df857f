// Attention norm with the residual path and the norm after it (Kobayashi et al., 2021). The norm of a sum
// splits over its parts, with the deviation s_i of the whole sum a_i and the mean of each part:
//
//   ‖γ ⊙ (R_ij − mean R_ij) / s_i‖        s_i = √(var a_i + ε)
//
// Post-norm blocks only: pre-norm blocks have no norm there.
#include "methods/norm_family.h"

namespace headwater {

extern const Method attention_norm_res_ln{
    .name = "attention_norm_res_ln",
    .summary =
        "Each token's contribution to the output of the attention block, after the residual sum and its "
        "norm.",
    .question = Question::Mixing,
    .formula =
        "N[l,i,j] = ‖γ ⊙ (R − mean R) / s[l,i]‖₂,  R = f[l,i,j] + [i = j] x[l,i],  s[l,i] = √(var(Σⱼ R + "
        "b_O) + ε)",
    .paper =
        "Kobayashi et al., 2021: Incorporating Residual and Normalization Layers into Analysis of Masked "
        "Language Models. EMNLP",
    .cost = norm_cost,
    .limits =
        "It needs a post-norm model such as BERT. It leaves out the feed-forward layers and the target, and "
        "also the biases of the output projection and of the norm, which belong to no token.",
    .options = {normalise_option},
    .claims = {.nonnegative = true, .causal = true},
    .mixing = Mixing::Complete,
    .sites = norm_sites(NormStage::AttentionNorm),
    .instead = "attention_norm_res or alti",
    .unsupported = [](const ModelInfo& info) { return lacks_post_norm("attention_norm_res_ln", info); },
    .compute = run_norms<NormStage::AttentionNorm>,
    .planned_bytes = planned_norms<NormStage::AttentionNorm>,
};

}  // namespace headwater
