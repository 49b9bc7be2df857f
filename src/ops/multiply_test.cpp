#include "support/op_samples.h"
#include "support/random.h"

namespace headwater::testing {

std::vector<OpSample> multiply_samples() {
  return {{.name = "gate and up",
           .inputs = {random_tensor({2, 3, 4}, 1), random_tensor({2, 3, 4}, 2)},
           .apply = [](const std::vector<Var>& x) { return multiply(x[0], x[1]); },
           .rejected = {{random_tensor({2, 3, 4}, 1), random_tensor({2, 3, 5}, 2)}}}};
}

}  // namespace headwater::testing
