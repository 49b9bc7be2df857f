// The block every family is made of: attention and a feed-forward part, each with a norm and a residual.
// Blocks take semantic options, never a family's name, and name the sites.
#pragma once

#include <optional>

#include "blocks/weights.h"

namespace headwater {

// LayerNorm, or RMSNorm where the weights have no beta.
Var norm(const Var& x, const NormWeights& w, Site site = Site::None, int layer = 0);
Var attention(const Var& x, const AttentionWeights& w, const BlockOptions& options, int layer);
// Queries from some rows, keys and values from others: [B, rows of `asking`, D].
Var attention(const Var& asking, const Var& read, const AttentionWeights& w, const BlockOptions& options,
              int layer);
Var mlp(const Var& x, const MlpWeights& w, int layer);

// Pre-norm (GPT-2, Llama, ViT): x + attention(norm x), then + mlp(norm ·).
// Post-norm (BERT and its kin): norm(x + attention x), then norm(· + mlp ·).
Var block(const Var& x, const BlockWeights& w, const BlockOptions& options, int layer);
// The rest of a block once attention's output is there: residual sums, norms, feed-forward.
Var after_attention(const Var& x, const Var& attended, const BlockWeights& w, const BlockOptions& options,
                    int layer);

}  // namespace headwater
