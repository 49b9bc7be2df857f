// The folded way from a head's value vector into the feed-forward part, for value zeroing:
//
//   M^h = W_O^h · C · diag(γ) · W_1      [E, F] per head      C centres (RMSNorm: the identity)
//
// It takes as many numbers as W_1, costs D rows of a W_1 product to make, and turns the H·T rows that one
// text would need into T. Kept folds are found again by the weights they were made of, and go when these do.
#pragma once

#include <memory>

#include "blocks/weights.h"

namespace headwater {

struct Fold {
  Tensor up, gate;  // [H·E, F]; gate is empty where the feed-forward part has none
  std::size_t bytes() const { return up.bytes() + gate.bytes(); }
};

// W_O^h · C · diag(γ), [H·E, D]: what stands before W_1 in the fold.
Tensor projected_rows(const LinearWeights& out, const NormWeights& norm);

// x [m, n], each row with its mean taken out (if the norm is a LayerNorm) and times γ, in place.
template <class R>
void centre_and_scale(R* x, Index m, const NormWeights& norm);

// x W_1ᵀ, [m, F].
template <class R>
Tensor times_hidden(const Tensor& x, const LinearWeights& w) {
  Tensor y({x.dim(0), w.weight->rows()}, x.dtype());
  w.weight->times_transposed<R>(x.data<R>(), nullptr, y.data<R>(), x.dim(0));
  return y;
}

// The norm before the feed-forward part is `norm`. With `keep` the fold stays for later calls, as long as all
// kept folds together take at most kept_fold_bytes; the oldest go first. Thread-safe.
inline constexpr std::size_t kept_fold_bytes = std::size_t{1} << 30;
std::shared_ptr<const Fold> fold_of(const BlockWeights& w, const NormWeights& norm, bool keep);

// Whether making the fold is cheaper than doing without, for one text of T tokens: H·E + T·H·E/D rows of W_1
// products against H·T.
bool fold_pays(Index tokens, Index head_width, Index width);

}  // namespace headwater
