#include "blocks/transformer.h"

#include <headwater/error.h>

namespace headwater {

Var norm(const Var& x, const NormWeights& w, Site site, int layer) {
  return w.beta.empty() ? rms_norm(x, w, site, layer) : layer_norm(x, w, site, layer);
}

namespace {

// Queries from some rows, keys and values from others: [B, rows of `asking`, D].
Var attention(const Var& asking, const Var& x, const AttentionWeights& w, const BlockOptions& options,
              int layer) {
  const bool turned = options.rotary.has_value();
  Var q = linear(asking, w.q, turned ? Site::None : Site::Q, layer);
  Var k = linear(x, w.k, turned ? Site::None : Site::K, layer);
  if (turned) {
    q = rotary(q, options.rotary->cos, options.rotary->sin, options.heads.heads, Site::Q, layer);
    k = rotary(k, options.rotary->cos, options.rotary->sin, options.heads.groups, Site::K, layer);
  }
  const Var v = linear(x, w.v, Site::V, layer);
  const Var scores = attention_scores(q, k, options.heads, layer);  // [B, H, T, T]
  const Var pattern = softmax(scores, options.heads.causal, Site::Pattern, layer);
  const Var z = attention_mix(pattern, v, options.heads, layer);  // [B, T, H·E]
  return linear(z, w.out, Site::AttnOut, layer);
}

}  // namespace

Var mlp(const Var& x, const MlpWeights& w, int layer) {
  if (!w.gate) {
    const Var hidden =
        activation(linear(x, w.up, Site::MlpPre, layer), w.f, Site::MlpPost, layer);  // [B, T, F]
    return linear(hidden, w.down, Site::MlpOut, layer);
  }
  const Var gate = activation(linear(x, *w.gate, Site::MlpPre, layer), w.f);
  const Var hidden = multiply(gate, linear(x, w.up), Site::MlpPost, layer);
  return linear(hidden, w.down, Site::MlpOut, layer);
}

Halfway attend(const Var& x, const BlockWeights& w, const BlockOptions& options, int layer,
               const std::vector<int>& rows) {
  const Var read = options.pre_norm ? norm(x, w.attention_norm) : x;
  if (rows.empty()) return {x, attention(read, read, w.attention, options, layer)};
  if (options.heads.causal || options.rotary)
    throw InternalError("block: expected no causal mask and no rotary positions for some rows alone");
  const Var some = gather(x, rows);
  const Var asking = options.pre_norm ? gather(read, rows) : some;
  return {some, attention(asking, read, w.attention, options, layer)};
}

Var after_attention(const Halfway& block, const BlockWeights& w, const BlockOptions& options, int layer) {
  if (options.pre_norm) {
    const Var mid = add(block.stream, block.attended, Site::ResidMid, layer);
    return add(mid, mlp(norm(mid, w.mlp_norm), w.mlp, layer), Site::ResidPost, layer);
  }
  const Var mid = norm(add(block.stream, block.attended), w.attention_norm, Site::ResidMid, layer);
  return norm(add(mid, mlp(mid, w.mlp, layer)), w.mlp_norm, Site::ResidPost, layer);
}

Var block(const Var& x, const BlockWeights& w, const BlockOptions& options, int layer) {
  return after_attention(attend(x, w, options, layer), w, options, layer);
}

}  // namespace headwater
