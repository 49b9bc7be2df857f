#include "support/op_samples.h"
#include "support/random.h"

namespace headwater::testing {

std::vector<OpSample> gather_samples() {
  return {{.name = "three positions, one twice",
           .inputs = {random_tensor({2, 4, 3}, 1)},
           .apply =
               [](const std::vector<Var>& x) {
                 return gather(x[0], {3, 0, 3});
               },
           .rejected = {{random_tensor({2, 3, 3}, 1)}, {random_tensor({4, 3}, 1)}}},
          {.name = "one position of each row",
           .inputs = {random_tensor({2, 4, 3}, 1)},
           .apply =
               [](const std::vector<Var>& x) {
                 return select(x[0], {2, 1});
               },
           .rejected = {{random_tensor({3, 4, 3}, 1)}}}};
}

}  // namespace headwater::testing
