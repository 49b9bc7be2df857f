// The weights of one block, as every family reads them, and what else its computation depends on.
#pragma once

#include <optional>

#include "ops/ops.h"

namespace headwater {

struct AttentionWeights {
  LinearWeights q, k, v, out;
};

// y = down(f(up x)), or with a gate y = down(f(gate x) ⊙ up x).
struct MlpWeights {
  std::optional<LinearWeights> gate;
  LinearWeights up, down;
  Activation f = Activation::Gelu;
};

struct BlockWeights {
  AttentionWeights attention;
  NormWeights attention_norm;
  MlpWeights mlp;
  NormWeights mlp_norm;
};

// Angles of a rotary position embedding for the tokens of this run, [T, E/2] each.
struct RotaryTables {
  Tensor cos, sin;
};

struct AttentionOptions {
  HeadLayout heads;
  std::optional<RotaryTables> rotary = {};
};

}  // namespace headwater
