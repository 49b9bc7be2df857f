// Attention norm (Kobayashi et al., 2020): how long the vector is that attention carries from token j to
// token i,
//
//   ‖f_ij‖ = ‖Σ_h α^h_ij u^h_j‖        u^h_j = v^h_j W_O^h, the value as head h writes it
//
// or per head α^h_ij ‖u^h_j‖. A large weight on a short value then counts as little as it moves.
#include "explain/norms.h"
#include "methods/method.h"

namespace headwater {

namespace {

constexpr NormStage stage = NormStage::Attention;

NormRequest request_of(const MethodOptions& options) {
  return {.method = "attention_norm",
          .stage = stage,
          .each_head = options.text("heads") == "each",
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

}  // namespace

extern const Method attention_norm;
const Method attention_norm{
    .name = "attention_norm",
    .summary =
        "Attention weighted by what it carries: the length of the vector moved from each token to each "
        "other.",
    .question = Question::Mixing,
    .formula = "N[l,i,j] = ‖Σₕ α[l,h,i,j] u[l,h,j]‖₂,  u[l,h,j] = v[l,h,j] W_O[l,h]",
    .paper =
        "Kobayashi et al., 2020: Attention is Not Only a Weight: Analyzing Transformers with Vector Norms. "
        "EMNLP",
    .cost =
        "One forward run and, per layer, 2 T H² D + 2 T² H² operations on Gram matrices; no vector per pair "
        "of tokens is made.",
    .limits =
        "The residual path, the norms and the feed-forward layers are not in it, nor is the target. A long "
        "vector may point where later layers do not look.",
    .options = {{"heads", "sum|each", "sum", "sum: heads are added as vectors; each: one map per head"},
                {"normalise", "none|rows", "none", "rows: divide each row by its sum; none: raw norms"}},
    .claims = {.nonnegative = true, .causal = true},
    .mixing = Mixing::Partial,
    .sites = norm_sites(stage),

    .run = run,
    .planned_bytes = planned_bytes,
};

}  // namespace headwater
