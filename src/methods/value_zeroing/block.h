// Value zeroing in one block: how far each output moves when the values of one token (or of a set of tokens)
// are zeroed there and all attention weights stay. By the exact shortcut at the top of the source no block is
// run again; the bits depend neither on the number of threads nor on the memory for tiles.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "study/attentions.h"
#include "study/study.h"

namespace headwater {

struct ZeroingOptions {
  std::vector<int> heads;     // of this kind of attention, whose values are zeroed
  std::vector<int> together;  // tokens zeroed as one set; empty: each on its own
  bool final_norm = true;     // compare after the model's last norm in the last layer, where there is one
  bool rounded = false;       // 1 − cos of whole vectors in float32, instead of from differences
  enum class Folding { Auto, Keep, Never } fold = Folding::Auto;
};

// D[i, j] = 1 − cos(output i with the values of j zeroed, output i), [T, S], exactly 0 where a causal mask
// forbids; [T] for a set. By the shortcut for single tokens where the block is a plain one, by replay
// otherwise. `progress`, called with 0 … 1, may throw to stop.
Tensor zero_values(const Study& study, const AttentionKind& kind, int layer, const ZeroingOptions& options,
                   const std::function<void(double)>& progress);

// Whether zero_values would fold the first feed-forward matrix.
bool zeroing_folds(const ModelInfo& info, Index tokens, const ZeroingOptions& options);

// Where outputs are compared: after the block, or after the last norm of its stack.
Place compared_at(const Study& study, const AttentionKind& kind, int layer, const ZeroingOptions& options);

// The same numbers D[i, j] by running the block again for these rows, plainly, from the values of the run.
struct Pair {
  Index row, zeroed;  // i, j; of a set the row alone counts
};
std::vector<double> plain_distances(const Study& study, const AttentionKind& kind, int layer,
                                    std::span<const Pair> pairs, const ZeroingOptions& options);

// All of them by replay, as many rows at a time as fit the memory for tiles; and what one pair takes: its row
// with and without the values, and what later attention asks with it.
Tensor zero_by_replay(const Study& study, const AttentionKind& kind, int layer, const ZeroingOptions& options,
                      const std::function<void(double)>& progress);
std::size_t replayed_row_bytes(const ModelInfo& info, Index tokens);

// 1 − cos in float32, as the public code computes it; its noise of 1e-7 stays in, cut off at 0.
template <class R>
R rounded_distance(const R* before, const R* now, Index n) {
  float dot = 0, old_square = 0, new_square = 0;
  for (Index d = 0; d < n; ++d) {
    const auto a = static_cast<float>(before[d]), b = static_cast<float>(now[d]);
    dot += a * b;
    old_square += a * a;
    new_square += b * b;
  }
  const float lengths = std::sqrt(old_square) * std::sqrt(new_square);
  return static_cast<R>(std::clamp(1.0F - (lengths > 0 ? dot / lengths : 0.0F), 0.0F, 2.0F));
}

// The least that zero_values needs, in bytes.
std::size_t zeroing_bytes(const ModelInfo& info, Index tokens, const ZeroingOptions& options);
// The scratch beyond which its tiles grow no more.
std::size_t most_zeroing_scratch(const ModelInfo& info, Index tokens, const ZeroingOptions& options);

}  // namespace headwater
