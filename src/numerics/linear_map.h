// The linear map e ↦ e W + b in closed form: ridge regression with a free bias. No optimiser, no noise.
#pragma once

#include <vector>

#include <headwater/tensor.h>

namespace headwater {

struct LinearMap {
  Tensor operator()(const Tensor& hidden) const;  // [n, in] → [n, out] in float64

  Index in = 0, out = 0;
  std::vector<double> weight;  // [in, out]: row vectors times W
  std::vector<double> bias;    // [out]
  double residual = 0;         // |(G + λI) W − C| / |C|: how well the normal equations hold
};

// Fits maps from the same hidden vectors to several targets: the factor is made once.
class RidgeFit {
 public:
  // Throws InputError if the normal equations have no unique solution (λ = 0 and too few different rows).
  RidgeFit(const Tensor& hidden, double lambda);
  LinearMap fit(const Tensor& targets) const;  // [N, out], a row per row of `hidden`

 private:
  Tensor hidden_;
  double lambda_;
  Index width_;
  std::vector<double> mean_, gram_, factor_;  // the factor is Cholesky's, of the Gram matrix
};

// Bytes that a fit takes at its largest.
std::size_t linear_map_bytes(Index in, Index out);

}  // namespace headwater
