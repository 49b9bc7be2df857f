// The block every family is made of: attention and a feed-forward part, each with a norm and a residual.
// Blocks take semantic options, never a family's name, and name the sites.
#pragma once

#include <optional>

#include "blocks/weights.h"

namespace headwater {

// Angles of a rotary position embedding for the tokens of this run, [T, E/2] each.
struct RotaryTables {
  Tensor cos, sin;
};

struct BlockOptions {
  HeadLayout heads;
  std::optional<RotaryTables> rotary;
};

// LayerNorm, or RMSNorm where the weights have no beta.
Var norm(const Var& x, const NormWeights& w, Site site = Site::None, int layer = 0);
Var attention(const Var& x, const AttentionWeights& w, const BlockOptions& options, int layer);
Var mlp(const Var& x, const MlpWeights& w, int layer);

// x + attention(norm x), then + mlp(norm ·): GPT-2, Llama, ViT.
Var pre_norm_block(const Var& x, const BlockWeights& w, const BlockOptions& options, int layer);
// norm(x + attention x), then norm(· + mlp ·): BERT and its kin.
Var post_norm_block(const Var& x, const BlockWeights& w, const BlockOptions& options, int layer);

}  // namespace headwater
