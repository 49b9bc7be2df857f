// The weights of one block, as every family reads them.
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

}  // namespace headwater
