// Attention norm with the residual path and the norm after it (Kobayashi et al., 2021). The norm of a sum
// splits over its parts, with the deviation s_i of the whole sum a_i and the mean of each part:
//
//   ‖γ ⊙ (R_ij − mean R_ij) / s_i‖        s_i = √(var a_i + ε)
//
// Post-norm blocks only: pre-norm blocks have no norm there.
#include "explain/norms.h"
#include "methods/method.h"

namespace headwater {

namespace {

constexpr NormStage stage = NormStage::AttentionNorm;

NormRequest request_of(const MethodOptions& options) {
  return {.method = "attention_norm_res_ln",
          .stage = stage,
          .normalise_rows = options.text("normalise") == "rows"};
}

Attribution run(const Study& study, const MethodOptions& options) {
  Attribution result = norm_attribution(study, request_of(options));
  result.options = options.all();
  return result;
}

std::size_t planned_bytes(const ModelInfo& info, Index tokens, const MethodOptions& options) {
  return norm_bytes(info, tokens, request_of(options));
}

std::string unsupported(const ModelInfo& info) {
  return lacks_post_norm("attention_norm_res_ln", info);
}

}  // namespace

extern const Method attention_norm_res_ln;
const Method attention_norm_res_ln{
    .name = "attention_norm_res_ln",
    .summary = "Each token's part in the output of the attention block, after the residual sum and its norm.",
    .question = Question::Mixing,
    .formula =
        "N[l,i,j] = ‖γ ⊙ (R − mean R) / s[l,i]‖₂,  R = f[l,i,j] + [i = j] x[l,i],  s[l,i] = √(var(Σⱼ R + "
        "b_O) + ε)",
    .paper =
        "Kobayashi et al., 2021: Incorporating Residual and Normalization Layers into Analysis of Masked "
        "Language Models. EMNLP",
    .cost =
        "One forward run and, per layer, 2 T H² D + 2 T² H² operations on Gram matrices; no vector per pair "
        "of tokens is made.",
    .limits =
        "For post-norm models (BERT and its kin). The feed-forward layers are not in it, nor is the target; "
        "the biases of the output projection and of the norm belong to no token and are left out.",
    .options = {{"normalise", "none|rows", "none", "rows: divide each row by its sum; none: raw norms"}},
    .claims = {.nonnegative = true, .causal = true},
    .mixing = Mixing::Complete,
    .sites = norm_sites(stage),
    .instead = "attention_norm_res or alti",
    .unsupported = unsupported,
    .run = run,
    .planned_bytes = planned_bytes,
};

}  // namespace headwater
