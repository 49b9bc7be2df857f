// Attention norm with the residual path (Kobayashi et al., 2021),
//
//   ‖R_ij‖ = ‖f_ij + [i = j] x_i‖
//
// and per query the mixing ratio m_i / (m_i + p_i), m_i = ‖Σ_{j≠i} R_ij‖, p_i = ‖R_ii‖: how much of what is
// written comes from other tokens. Attention to another stack has ‖f_ij‖, and ‖x_i‖ beside the row.
#include "explain/norms.h"
#include "methods/method.h"

namespace headwater {

namespace {

constexpr NormStage stage = NormStage::Residual;

NormRequest request_of(const MethodOptions& options) {
  return {
      .method = "attention_norm_res", .stage = stage, .normalise_rows = options.text("normalise") == "rows"};
}

Attribution run(const Study& study, const MethodOptions& options) {
  Attribution result = norm_attribution(study, request_of(options));
  result.options = options.all();
  return result;
}

std::size_t planned_bytes(const ModelInfo& info, Index tokens, const MethodOptions& options) {
  return norm_bytes(info, tokens, request_of(options));
}

}  // namespace

extern const Method attention_norm_res;
const Method attention_norm_res{
    .name = "attention_norm_res",
    .summary = "Each token's part in the sum of attention and residual path, as the length of its vector.",
    .question = Question::Mixing,
    .formula =
        "N[l,i,j] = ‖f[l,i,j] + [i = j] x[l,i]‖₂,  f[l,i,j] = Σₕ α[l,h,i,j] v[l,h,j] W_O[l,h];  mixing ratio "
        "= ‖Σ_{j≠i}‖ / (‖Σ_{j≠i}‖ + ‖i‖)",
    .paper =
        "Kobayashi et al., 2021: Incorporating Residual and Normalization Layers into Analysis of Masked "
        "Language Models. EMNLP",
    .cost =
        "One forward run and, per layer, 2 T H² D + 2 T² H² operations on Gram matrices; no vector per pair "
        "of tokens is made.",
    .limits =
        "The norms and the feed-forward layers are not in it, nor is the target. The bias of the output "
        "projection belongs to no token and is left out. Past attention to another stack the residual path "
        "is "
        "no token that is read: the detail cross_residual has its length.",
    .options = {{"normalise", "none|rows", "none", "rows: divide each row by its sum; none: raw norms"}},
    .claims = {.nonnegative = true, .causal = true},
    .mixing = Mixing::Complete,
    .sites = norm_sites(stage),

    .run = run,
    .planned_bytes = planned_bytes,
};

}  // namespace headwater
