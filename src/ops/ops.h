// What a family's author writes with: one function per op, each in the file of its name.
// B batch, T tokens, D model width, H heads, G key/value groups, E head width.
#pragma once

#include <memory>
#include <vector>

#include "kernels/kernels.h"
#include "kernels/matrix.h"
#include "tape/tape.h"

namespace headwater {

// Weights of a Linear layer, y = x Wᵀ + b; W [out, in], b [out] or empty.
struct LinearWeights {
  std::shared_ptr<const Matrix> weight;
  Tensor bias;
};
// gamma [D]; beta [D] or empty (RMSNorm).
struct NormWeights {
  Tensor gamma, beta;
  double eps = 1e-5;
};

// table [V, D]; ids are row numbers for [B, T]. Not differentiable with respect to the ids: a source.
Var embed(Tape& tape, const Tensor& table, const std::vector<std::vector<int>>& ids, Place place = {});
Var linear(const Var& x, const LinearWeights& w, Place place = {});
Var layer_norm(const Var& x, const NormWeights& w, Place place = {});
Var rms_norm(const Var& x, const NormWeights& w, Place place = {});
Var activation(const Var& x, Activation f, Place place = {});
Var add(const Var& a, const Var& b, Place place = {});
// The elementwise product of a gated feed-forward block: gate ⊙ up.
Var multiply(const Var& gate, const Var& up, Place place = {});
Var scale(const Var& x, double factor, Place place = {});

struct HeadLayout {
  int heads;     // H
  int groups;    // G key/value heads; H/G query heads share one
  double scale;  // of the scores
  bool causal;
};
// q [B, T, H·E], k [B, S, G·E] → [B, H, T, S]; S = T but for attention to another sequence.
Var attention_scores(const Var& q, const Var& k, const HeadLayout& layout, Place place = {});
// scores [B, H, T, S] + table [H, buckets] at the bucket of each key's distance from the query. `first` is
// the query of row 0, where keys stood before those of this run.
struct PositionBuckets {
  int buckets, max_distance;
  bool bidirectional;  // keys before and after the query have buckets of their own; otherwise those before
};
int bucket_of(Index distance, const PositionBuckets& buckets);  // distance = key − query
Var position_bias(const Var& scores, const Tensor& table, const PositionBuckets& buckets, Place place = {},
                  Index first = 0);
// Rows sum to one; with causal, keys after the query get exactly 0. `first` as above.
Var softmax(const Var& scores, bool causal, Place place = {}, Index first = 0);
// pattern [B, H, T, S], v [B, S, G·E] → z [B, T, H·E]
Var attention_mix(const Var& pattern, const Var& v, const HeadLayout& layout, Place place = {});

// x [B, T, heads·E]; cos, sin [T, E/2] tables of the positions.
Var rotary(const Var& x, const Tensor& cos, const Tensor& sin, int heads, Place place = {});
// Rows at these positions of the token axis: x [B, T, D] → [B, P, D].
Var gather(const Var& x, const std::vector<int>& positions, Place place = {});
// One row of each batch member: x [B, T, D] → [B, D].
Var select(const Var& x, const std::vector<int>& position_of_row, Place place = {});
// rows [P, D] put before the tokens: x [B, T, D] → [B, P + T, D].
Var prepend(const Var& x, const Tensor& rows, Place place = {});
// pixels [B, C, height, width] → [B, N, C·P·P], patches in reading order, channel-major inside.
Var patches(const Var& pixels, int patch, Place place = {});

// What an op on a tape is, for those who recognise a pattern of ops (Tape::op_at); null or nothing if it is
// another op, or none.
const LinearWeights* as_linear(const Op* op);
const NormWeights* as_norm(const Op* op);  // LayerNorm or RMSNorm
std::optional<Activation> as_activation(const Op* op);
const HeadLayout* as_attention_scores(const Op* op);
const HeadLayout* as_attention_mix(const Op* op);
bool is_add(const Op* op);
bool is_multiply(const Op* op);

}  // namespace headwater
