// What value zeroing needs of a block's unchanged run: every change is computed as a difference from it.
#pragma once

#include <optional>

#include "blocks/recognise.h"
#include "kernels/shifts.h"
#include "methods/value_zeroing/block.h"

namespace headwater {

// A norm of the unchanged run, at every token.
struct NormState {
  Tensor t, inverse;  // [T, D] what γ / σ multiplies; [T] 1 / σ
  const NormWeights* weights = nullptr;

  template <class R>
  kernels::NormRows<R> from(Index row) const {
    return {t.data<R>() + row * t.dim(1), inverse.data<R>() + row, weights->gamma.data<R>(), weights->eps,
            !weights->beta.empty()};
  }
};

// A map into the hidden layer without its scale: e = (γ ⊙ t) W_1, c = β W_1 + b_1.
struct HiddenState {
  Tensor e, c;  // [T, F], [F]
};

// The weights a clean block points to.
struct KnownBlock {
  PlainBlock block;
  std::optional<NormWeights> final_norm;  // where the outputs are compared after it
};

struct CleanBlock {
  std::shared_ptr<const KnownBlock> known;
  const BlockWeights* weights = nullptr;
  HeadLayout heads{};
  Index T = 0, D = 0, F = 0, E = 0;
  bool post_norm = false;         // the sum after attention is replaced by its norm
  Tensor pattern, v;              // [1, H, T, T], [1, T, G·E]
  NormState before;               // the norm before the feed-forward part
  std::optional<NormState> last;  // the norm that makes the output: the block's second, or the model's last
  HiddenState up;
  std::optional<HiddenState> gate;
  Tensor hidden;          // [T, F]
  Tensor output, length;  // [T, D] what is compared, [T] its norm

  Index group(int head) const { return Index{head} * heads.groups / heads.heads; }
};

// Nothing if the block is not a plain one.
std::optional<CleanBlock> clean_block(const Study& study, const AttentionKind& kind, int layer,
                                      const ZeroingOptions& options);

}  // namespace headwater
