#include <gtest/gtest.h>

#include "support/op_samples.h"
#include "support/random.h"

namespace headwater::testing {

std::vector<OpSample> join_samples() {
  return {{.name = "two batches",
           .inputs = {random_tensor({2, 3, 4}, 1), random_tensor({1, 3, 4}, 2)},
           .apply = [](const std::vector<Var>& x) { return join(x); },
           .rejected = {{random_tensor({2, 3, 4}, 1), random_tensor({2, 4, 4}, 2)},
                        {random_tensor({2, 3}, 1), random_tensor({2, 3, 1}, 2)}}},
          {.name = "three batches of rows",
           .inputs = {random_tensor({1, 3}, 1), random_tensor({2, 3}, 2), random_tensor({1, 3}, 3)},
           .apply = [](const std::vector<Var>& x) { return join(x); }}};
}

TEST(Join, KeepsTheOrderOfTheBatches) {
  Tape tape;
  const Var y = join({tape.leaf(Tensor::of({1, 2}, std::vector<double>{1, 2})),
                      tape.leaf(Tensor::of({2, 2}, std::vector<double>{3, 4, 5, 6}))});
  EXPECT_EQ(y.value.shape(), (Shape{3, 2}));
  EXPECT_EQ(y.value.to_doubles(), (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

}  // namespace headwater::testing
