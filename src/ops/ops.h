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
Var embed(Tape& tape, const Tensor& table, const std::vector<std::vector<int>>& ids, Site site = Site::None,
          int layer = 0);
Var linear(const Var& x, const LinearWeights& w, Site site = Site::None, int layer = 0);
Var layer_norm(const Var& x, const NormWeights& w, Site site = Site::None, int layer = 0);
Var rms_norm(const Var& x, const NormWeights& w, Site site = Site::None, int layer = 0);
Var activation(const Var& x, Activation f, Site site = Site::None, int layer = 0);
Var add(const Var& a, const Var& b, Site site = Site::None, int layer = 0);
// The elementwise product of a gated feed-forward block: gate ⊙ up.
Var multiply(const Var& gate, const Var& up, Site site = Site::None, int layer = 0);
Var scale(const Var& x, double factor, Site site = Site::None, int layer = 0);

struct HeadLayout {
  int heads;     // H
  int groups;    // G key/value heads; H/G query heads share one
  double scale;  // of the scores
  bool causal;
};
// q [B, T, H·E], k [B, T, G·E] → [B, H, T, T]
Var attention_scores(const Var& q, const Var& k, const HeadLayout& layout, int layer);
// Rows sum to one; with causal, keys after the query get exactly 0.
Var softmax(const Var& scores, bool causal, Site site = Site::None, int layer = 0);
// pattern [B, H, T, T], v [B, T, G·E] → z [B, T, H·E]
Var attention_mix(const Var& pattern, const Var& v, const HeadLayout& layout, int layer);

// x [B, T, heads·E]; cos, sin [T, E/2] tables of the positions.
Var rotary(const Var& x, const Tensor& cos, const Tensor& sin, int heads, Site site = Site::None,
           int layer = 0);
// Rows at these positions of the token axis: x [B, T, D] → [B, P, D].
Var gather(const Var& x, const std::vector<int>& positions, Site site = Site::None, int layer = 0);
// One row of each batch member: x [B, T, D] → [B, D].
Var select(const Var& x, const std::vector<int>& position_of_row, Site site = Site::None, int layer = 0);
// Batches one after the other: x_k [B_k, …] → [Σ B_k, …].
Var join(const std::vector<Var>& batches, Site site = Site::None, int layer = 0);
// rows [P, D] put before the tokens: x [B, T, D] → [B, P + T, D].
Var prepend(const Var& x, const Tensor& rows, Site site = Site::None, int layer = 0);
// pixels [B, C, height, width] → [B, N, C·P·P], patches in reading order, channel-major inside.
Var patches(const Var& pixels, int patch, Site site = Site::None, int layer = 0);

}  // namespace headwater
