#include <cmath>

#include <gtest/gtest.h>

#include "support/op_samples.h"
#include "support/random.h"

namespace headwater::testing {

std::vector<OpSample> softmax_samples() {
  std::vector<OpSample> samples;
  for (const bool causal : {false, true})
    samples.push_back({.name = causal ? "causal" : "full",
                       .inputs = {random_tensor({2, 2, 4, 4}, 1)},
                       .apply = [causal](const std::vector<Var>& x) { return softmax(x[0], causal); },
                       .conserves = false,  // an implicit bias: softmax of zero is not zero
                       .rejected = {{random_tensor({4}, 1)}}});
  samples.back().rejected.push_back({random_tensor({2, 3, 4}, 1)});
  samples.push_back({.name = "causal, after three others",
                     .inputs = {random_tensor({2, 2, 2, 5}, 1)},
                     .apply = [](const std::vector<Var>& x) { return softmax(x[0], true, {}, 3); },
                     .conserves = false,
                     .rejected = {{random_tensor({2, 2, 4, 5}, 1)}}});
  return samples;
}

TEST(Softmax, KnownValues) {
  Tape tape;
  const std::vector<double> logits{0, std::log(3.0), 5, 5};
  const Var full = softmax(tape.leaf(Tensor::of({2, 2}, logits)), false);
  EXPECT_NEAR(full.value.at(0), 0.25, 1e-15);
  EXPECT_NEAR(full.value.at(1), 0.75, 1e-15);
  EXPECT_NEAR(full.value.at(2), 0.5, 1e-15);
  const Var causal = softmax(tape.leaf(Tensor::of({2, 2}, logits)), true);
  EXPECT_EQ(causal.value.at(0), 1);
  EXPECT_EQ(causal.value.at(1), 0);
  EXPECT_NEAR(causal.value.at(3), 0.5, 1e-15);
}

}  // namespace headwater::testing
