#include "blocks/transformer.h"

namespace headwater {

Var norm(const Var& x, const NormWeights& w, Place place) {
  return w.beta.empty() ? rms_norm(x, w, place) : layer_norm(x, w, place);
}

Var attention(const Var& asking, const Var& read, const AttentionWeights& w, const AttentionOptions& options,
              BlockAt at, const AttentionSites& sites) {
  const bool turned = options.rotary.has_value();
  Var q = linear(asking, w.q, turned ? Place{} : at(sites.q));
  Var k = linear(read, w.k, turned ? Place{} : at(sites.k));
  if (turned) {
    q = rotary(q, options.rotary->cos, options.rotary->sin, options.heads.heads, at(sites.q));
    k = rotary(k, options.rotary->cos, options.rotary->sin, options.heads.groups, at(sites.k));
  }
  const Var v = linear(read, w.v, at(sites.v));
  const Var scores = attention_scores(q, k, options.heads, at(sites.scores));  // [B, H, T, S]
  const Var pattern = softmax(scores, options.heads.causal, at(sites.pattern));
  const Var z = attention_mix(pattern, v, options.heads, at(sites.z));  // [B, T, H·E]
  return linear(z, w.out, at(sites.out));
}

Var mlp(const Var& x, const MlpWeights& w, BlockAt at) {
  if (!w.gate) {
    const Var hidden = activation(linear(x, w.up, at(Site::MlpPre)), w.f, at(Site::MlpPost));  // [B, T, F]
    return linear(hidden, w.down, at(Site::MlpOut));
  }
  const Var gate = activation(linear(x, *w.gate, at(Site::MlpPre)), w.f);
  const Var hidden = multiply(gate, linear(x, w.up), at(Site::MlpPost));
  return linear(hidden, w.down, at(Site::MlpOut));
}

Var pre_norm_block(const Var& x, const BlockWeights& w, const AttentionOptions& options, BlockAt at) {
  const Var read = norm(x, w.attention_norm);
  const Var mid = add(x, attention(read, read, w.attention, options, at), at(Site::ResidMid));
  return add(mid, mlp(norm(mid, w.mlp_norm), w.mlp, at), at(Site::ResidPost));
}

Var post_norm_block(const Var& x, const BlockWeights& w, const AttentionOptions& options, BlockAt at) {
  const Var mid =
      norm(add(x, attention(x, x, w.attention, options, at)), w.attention_norm, at(Site::ResidMid));
  return norm(add(mid, mlp(mid, w.mlp, at)), w.mlp_norm, at(Site::ResidPost));
}

}  // namespace headwater
