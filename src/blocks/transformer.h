// The block every family is made of: attention and a feed-forward part, each with a norm and a residual.
// Blocks take semantic options, never a family's name, and name the sites.
#pragma once

#include <vector>

#include "blocks/weights.h"

namespace headwater {

// LayerNorm, or RMSNorm where the weights have no beta.
Var norm(const Var& x, const NormWeights& w, Site site = Site::None, int layer = 0);
Var mlp(const Var& x, const MlpWeights& w, int layer);

// A block half-way: its input and its attention's output, [B, T, D] each.
struct Halfway {
  Var stream, attended;
};

// Pre-norm (GPT-2, Llama, ViT): x + attention(norm x), then + mlp(norm ·).
// Post-norm (BERT and its kin): norm(x + attention x), then norm(· + mlp ·).
// With `rows` the block goes on with these alone; keys and values come from all. Only where nothing depends
// on where a row stands: no causal mask, no rotary positions.
Halfway attend(const Var& x, const BlockWeights& w, const BlockOptions& options, int layer,
               const std::vector<int>& rows = {});
Var after_attention(const Halfway& block, const BlockWeights& w, const BlockOptions& options, int layer);
Var block(const Var& x, const BlockWeights& w, const BlockOptions& options, int layer);  // both

}  // namespace headwater
