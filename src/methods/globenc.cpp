// GlobEnc (Modarressi et al., 2022): attention_norm_res_ln taken through the second norm of the block as
// well,
//
//   ‖γ2 ⊙ C(G_ij) / s'_i‖        G_ij = γ1 ⊙ C(R_ij) / s_i,  C(z) = z − mean z,  s'_i from y_i + FFN(y_i)
//
// The feed-forward part changes the scale s'_i, but its own mixing of a row is left out. The authors multiply
// the raw norms through the layers (--aggregate rollout); with normalise=rows the rows are divided first.
#include "methods/norm_family.h"

namespace headwater {

extern const Method globenc{
    .name = "globenc",
    .summary =
        "Each token's contribution to the output of an encoder block, through both norms; its rollout is "
        "GlobEnc.",
    .title = "GlobEnc",
    .question = Question::Mixing,
    .formula =
        "N[l,i,j] = ‖γ₂ ⊙ C(γ₁ ⊙ C(R[l,i,j]) / s[l,i]) / s′[l,i]‖₂,  C(z) = z − mean z,  R = f[l,i,j] + [i = "
        "j] x[l,i]",
    .paper =
        "Modarressi et al., 2022: GlobEnc: Quantifying Global Token Attribution by Incorporating the Whole "
        "Encoder Layer in Transformers. NAACL",
    .cost = norm_cost,
    .limits =
        "It needs a post-norm model such as BERT. The feed-forward layer acts only through the scale of its "
        "norm, and the target is left out. Rollout multiplies raw norms as the authors do, so values grow "
        "and only ranks within a row can be compared.",
    .options = {normalise_option},
    .claims = {.nonnegative = true, .causal = true},
    .mixing = Mixing::Raw,
    .sites = norm_sites(NormStage::Block),
    .instead = "attention_norm_res or alti",
    .unsupported = [](const ModelInfo& info) { return lacks_post_norm("globenc", info); },
    .compute = run_norms<NormStage::Block>,
    .planned_bytes = planned_norms<NormStage::Block>,
};

}  // namespace headwater
