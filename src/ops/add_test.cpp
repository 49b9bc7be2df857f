#include <gtest/gtest.h>

#include "support/op_samples.h"
#include "support/random.h"

namespace headwater::testing {

std::vector<OpSample> add_samples() {
  return {{.name = "two tensors",
           .inputs = {random_tensor({2, 3, 4}, 1), random_tensor({2, 3, 4}, 2)},
           .apply = [](const std::vector<Var>& x) { return add(x[0], x[1]); },
           .rejected = {{random_tensor({2, 3, 4}, 1), random_tensor({2, 3, 5}, 2)}}}};
}

TEST(Add, OneValueTwiceGivesTwiceTheSignal) {
  Tape tape;
  const Var x = tape.leaf(random_tensor({2, 3}, 1));
  const Var y = add(x, x);
  const Tensor m = random_tensor({2, 3}, 2);
  const Tensor pulled = tape.pull(y, m, rules::gradient).of(x);
  for (Index i = 0; i < m.size(); ++i) EXPECT_EQ(pulled.at(i), 2 * m.at(i));
}

}  // namespace headwater::testing
