// The weights of one block, as every family reads them, and what else its computation depends on.
#pragma once

#include <optional>

#include "ops/ops.h"

namespace headwater {

class KeyValueCache;

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

// What is added to the scores by how far a key is from the query: table [H, buckets].
struct RelativePositions {
  Tensor table;
  PositionBuckets buckets;
};

struct AttentionOptions {
  HeadLayout layout;
  std::optional<RotaryTables> rotary = {};
  std::optional<RelativePositions> relative = {};
  KeyValueCache* cache = nullptr;  // of the tokens before those of this run
};

}  // namespace headwater
