#include "support/op_samples.h"
#include "support/random.h"

namespace headwater::testing {

std::vector<OpSample> norm_samples() {
  const NormWeights layer{.gamma = random_tensor({6}, 1), .beta = random_tensor({6}, 2), .eps = 1e-3};
  const NormWeights rms{.gamma = random_tensor({6}, 1), .beta = {}, .eps = 1e-3};
  return {{.name = "layer norm, rows of six",
           .inputs = {random_tensor({2, 3, 6}, 3)},
           .apply = [layer](const std::vector<Var>& x) { return layer_norm(x[0], layer); },
           .constant = layer.beta,
           .rejected = {{random_tensor({2, 3, 5}, 4)}}},
          {.name = "RMSNorm, rows of six",
           .inputs = {random_tensor({2, 3, 6}, 3)},
           .apply = [rms](const std::vector<Var>& x) { return rms_norm(x[0], rms); },
           .constant = rms.beta,
           .rejected = {{random_tensor({2, 3, 5}, 4)}}}};
}

}  // namespace headwater::testing
