#include <gtest/gtest.h>
#include <headwater/error.h>

#include "support/op_samples.h"
#include "support/random.h"

namespace headwater::testing {

std::vector<OpSample> embed_samples() {
  // A lookup has no differentiable input; adding it to one shows that it is a constant of the walk.
  const Tensor table = random_tensor({5, 3}, 1);
  const std::vector<std::vector<int>> ids{{4, 0}, {1, 1}};
  return {{.name = "added to a stream",
           .inputs = {random_tensor({2, 2, 3}, 2)},
           .apply = [=](const std::vector<Var>& x) { return add(x[0], embed(*x[0].tape, table, ids)); },
           .conserves = false}};
}

TEST(Embed, PicksRowsAndRefusesIdsOutside) {
  Tape tape;
  const Tensor table = random_tensor({5, 3}, 1);
  const Tensor y = embed(tape, table, {{4, 0}}).value;
  for (Index d = 0; d < 3; ++d) {
    EXPECT_EQ(y.at(d), table.at(12 + d));
    EXPECT_EQ(y.at(3 + d), table.at(d));
  }
  EXPECT_THROW(embed(tape, table, {{5}}), InternalError);
  EXPECT_THROW(embed(tape, table, {{-1}}), InternalError);
  EXPECT_THROW(embed(tape, table, {{1, 2}, {3}}), InternalError);
}

}  // namespace headwater::testing
