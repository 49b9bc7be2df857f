#include "tape/copies.h"

#include <gtest/gtest.h>

#include "support/op_samples.h"
#include "support/random.h"

namespace headwater::testing {

std::vector<OpSample> copies_samples() {
  return {{.name = "two batches",
           .inputs = {random_tensor({2, 3, 4}, 1), random_tensor({1, 3, 4}, 2)},
           .apply = [](const std::vector<Var>& x) { return join(x); },
           .rejected = {{random_tensor({2, 3, 4}, 1), random_tensor({2, 4, 4}, 2)},
                        {random_tensor({2, 3}, 1), random_tensor({2, 3, 1}, 2)}}},
          {.name = "three batches of rows",
           .inputs = {random_tensor({1, 3}, 1), random_tensor({2, 3}, 2), random_tensor({1, 3}, 3)},
           .apply = [](const std::vector<Var>& x) { return join(x); }},
          {.name = "the middle of a batch",
           .inputs = {random_tensor({4, 2, 3}, 1)},
           .apply = [](const std::vector<Var>& x) { return members(x[0], 1, 2); },
           .rejected = {{random_tensor({2, 2, 3}, 1)}}},
          {.name = "rows, one twice",
           .inputs = {random_tensor({2, 4, 3}, 1)},
           .apply =
               [](const std::vector<Var>& x) {
                 return take_rows(x[0], {3, 0, 3});
               },
           .rejected = {{random_tensor({2, 3, 3}, 1)}, {random_tensor({4, 3}, 1)}}},
          {.name = "rows of a pattern",
           .inputs = {random_tensor({2, 3, 4, 5}, 1)},
           .apply =
               [](const std::vector<Var>& x) {
                 return take_rows(x[0], {2, 1});
               },
           .rejected = {{random_tensor({2, 3, 2, 5}, 1)}}}};
}

TEST(Join, KeepsTheOrderOfTheBatches) {
  Tape tape;
  const Var y = join({tape.leaf(Tensor::of({1, 2}, std::vector<double>{1, 2})),
                      tape.leaf(Tensor::of({2, 2}, std::vector<double>{3, 4, 5, 6}))});
  EXPECT_EQ(y.value.shape(), (Shape{3, 2}));
  EXPECT_EQ(y.value.to_doubles(), (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

}  // namespace headwater::testing
