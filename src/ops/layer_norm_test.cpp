#include "support/op_samples.h"
#include "support/random.h"

namespace headwater::testing {

std::vector<OpSample> layer_norm_samples() {
  const NormWeights w{.gamma = random_tensor({6}, 1), .beta = random_tensor({6}, 2), .eps = 1e-3};
  return {{.name = "rows of six",
           .inputs = {random_tensor({2, 3, 6}, 3)},
           .apply = [w](const std::vector<Var>& x) { return layer_norm(x[0], w); },
           .constant = w.beta,
           .rejected = {{random_tensor({2, 3, 5}, 4)}}}};
}

}  // namespace headwater::testing
