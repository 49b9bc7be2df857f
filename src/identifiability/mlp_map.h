// The learned map with one hidden layer: e ↦ W2 gelu(W1 e + b1) + b2, trained by Adam with early stopping.
// Repeatable: the order of the batches and the first weights come from the seed, sums run in a fixed order.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <headwater/identify.h>

namespace headwater {

// R: float or double, the type of the data.
template <class R>
class MlpMap {
 public:
  MlpMap(Index in, Index hidden, Index out, std::uint64_t seed);  // Glorot-uniform, biases 0
  Tensor operator()(const Tensor& hidden) const;                  // [n, in] → [n, out] in float64

  // Mean loss over n rows: 1 − cos(g, x), or |g − x|². A target without a direction costs 1 under cosine.
  double loss(const R* e, const R* x, Index n, TokenDistance distance) const;
  // The same, with its gradient for `parameters`, in their order.
  double loss(const R* e, const R* x, Index n, TokenDistance distance, std::vector<R>& gradient) const;

  std::vector<R> parameters;  // W1 [hidden, in], b1, W2 [out, hidden], b2

 private:
  struct Pass {
    std::vector<R> pre, post, out;
  };
  Pass forward(const R* e, Index n) const;

  Index in_, hidden_, out_;
  Index b1_, w2_, b2_;  // where they begin
};

struct Training {
  int epochs = 0;              // run
  int best = 0;                // the epoch whose weights were kept, from 1; 0: the first weights
  std::vector<double> losses;  // validation, before training and after each epoch
};

// `progress` gets the epoch and may throw.
template <class R>
Training train(MlpMap<R>& map, const Tensor& e, const Tensor& x, const Tensor& validation_e,
               const Tensor& validation_x, TokenDistance distance, const MlpOptions& options,
               std::uint64_t seed, const std::function<void(int)>& progress);

std::size_t mlp_map_bytes(Index in, Index out, const MlpOptions& options, DType dtype);

}  // namespace headwater
