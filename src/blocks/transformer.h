// The parts every family is made of, as functions of recorded values: attention, feed-forward and the two
// usual ways to put them together. They take semantic options, never a family's name, and name the sites. A
// family whose blocks are wired in another way writes its own from the parts.
#pragma once

#include "blocks/weights.h"

namespace headwater {

// Where a block stands; at(Site::Q) is the place of its queries.
struct BlockAt {
  int layer = 0, stack = 0;
  Place operator()(Site site) const { return {site, layer, stack}; }
};

// LayerNorm, or RMSNorm where the weights have no beta.
Var norm(const Var& x, const NormWeights& w, Place place = {});

// Queries from `asking` [B, T, D], keys and values from `read` [B, S, D']: [B, T, D]. `read` is not looked at
// where the options' cache has what another stack gave.
Var attention(const Var& asking, const Var& read, const AttentionWeights& w, const AttentionOptions& options,
              BlockAt at, const AttentionSites& sites = self_attention);
Var mlp(const Var& x, const MlpWeights& w, BlockAt at);

// GPT-2, Llama, ViT: x + attention(norm x), then + mlp(norm ·).
Var pre_norm_block(const Var& x, const BlockWeights& w, const AttentionOptions& options, BlockAt at);
// BERT and its kin: norm(x + attention x), then norm(· + mlp ·).
Var post_norm_block(const Var& x, const BlockWeights& w, const AttentionOptions& options, BlockAt at);

}  // namespace headwater
