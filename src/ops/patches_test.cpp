#include <gtest/gtest.h>

#include "support/op_samples.h"
#include "support/random.h"

namespace headwater::testing {

std::vector<OpSample> patches_samples() {
  return {{.name = "two channels, patches of two",
           .inputs = {random_tensor({2, 2, 4, 6}, 1)},
           .apply = [](const std::vector<Var>& x) { return patches(x[0], 2); },
           .rejected = {{random_tensor({2, 2, 5, 6}, 1)}, {random_tensor({2, 4, 6}, 1)}}}};
}

TEST(Patches, ReadingOrderAndChannelMajor) {
  Tape tape;
  std::vector<double> pixels(2 * 2 * 4);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<double>(i);
  const Tensor y = patches(tape.leaf(Tensor::of({1, 2, 2, 4}, pixels)), 2).value;  // [1, 2, 8]
  const std::vector<double> expected{0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15};
  EXPECT_EQ(y.to_doubles(), expected);
}

}  // namespace headwater::testing
