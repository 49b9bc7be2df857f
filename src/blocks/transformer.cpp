#include "blocks/transformer.h"

#include "blocks/cache.h"

namespace headwater {

Var norm(const Var& x, const NormWeights& w, Place place) {
  return w.beta.empty() ? rms_norm(x, w, place) : layer_norm(x, w, place);
}

namespace {

struct KeysAndValues {
  Var k, v;
};

// With a cache, of what was read before too: a sequence's own grow, those of another stack are computed once.
KeysAndValues keys_and_values(const Var& read, Tape& tape, const AttentionWeights& w,
                              const AttentionOptions& options, BlockAt at, const AttentionSites& sites) {
  KeyValueCache* cache = options.cache;
  const bool own = sites.k == self_attention.k;
  if (cache != nullptr && !own && cache->has(at(sites.k)))
    return {tape.leaf(cache->at(at(sites.k)), at(sites.k)), tape.leaf(cache->at(at(sites.v)), at(sites.v))};
  const bool grows = cache != nullptr && own;
  const Place k_at = grows ? Place{} : at(sites.k), v_at = grows ? Place{} : at(sites.v);
  Var k = linear(read, w.k, options.rotary ? Place{} : k_at);
  if (options.rotary) k = rotary(k, options.rotary->cos, options.rotary->sin, options.layout.groups, k_at);
  Var v = linear(read, w.v, v_at);
  if (grows)
    return {tape.leaf(cache->extend(at(sites.k), k.value), at(sites.k)),
            tape.leaf(cache->extend(at(sites.v), v.value), at(sites.v))};
  if (cache != nullptr) {
    cache->keep(at(sites.k), k.value);
    cache->keep(at(sites.v), v.value);
  }
  return {std::move(k), std::move(v)};
}

}  // namespace

Var attention(const Var& asking, const Var& read, const AttentionWeights& w, const AttentionOptions& options,
              BlockAt at, const AttentionSites& sites) {
  const bool turned = options.rotary.has_value();
  Var q = linear(asking, w.q, turned ? Place{} : at(sites.q));
  if (turned) q = rotary(q, options.rotary->cos, options.rotary->sin, options.layout.heads, at(sites.q));
  const auto [k, v] = keys_and_values(read, *asking.tape, w, options, at, sites);
  const Index first = options.cache != nullptr ? options.cache->past() : 0;
  Var scores =
      attention_scores(q, k, options.layout, options.relative ? Place{} : at(sites.scores));  // [B, H, T, S]
  if (options.relative)
    scores =
        position_bias(scores, options.relative->table, options.relative->buckets, at(sites.scores), first);
  const Var pattern = softmax(scores, options.layout.causal, at(sites.pattern), first);
  const Var z = attention_mix(pattern, v, options.layout, at(sites.z));  // [B, T, H·E]
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
