#include "support/op_samples.h"
#include "support/random.h"

namespace headwater::testing {

namespace {
LinearWeights weights(bool with_bias) {
  return {.weight = std::make_shared<Matrix>(random_tensor({5, 4}, 1)),
          .bias = with_bias ? random_tensor({5}, 2) : Tensor()};
}
}  // namespace

std::vector<OpSample> linear_samples() {
  std::vector<OpSample> samples;
  for (const bool with_bias : {true, false}) {
    const LinearWeights w = weights(with_bias);
    samples.push_back({.name = with_bias ? "with bias" : "without bias",
                       .inputs = {random_tensor({2, 3, 4}, 3)},
                       .apply = [w](const std::vector<Var>& x) { return linear(x[0], w); },
                       .constant = w.bias,
                       .rejected = {{random_tensor({2, 3, 5}, 4)}}});
  }
  return samples;
}

}  // namespace headwater::testing
