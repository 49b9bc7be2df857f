#include "support/op_samples.h"
#include "support/random.h"

namespace headwater::testing {

std::vector<OpSample> prepend_samples() {
  const Tensor rows = random_tensor({2, 3}, 1);
  std::vector<double> constant = rows.to_doubles();
  constant.resize(6 * 3, 0);  // the learned rows belong to no input
  return {{.name = "two rows",
           .inputs = {random_tensor({2, 4, 3}, 2)},
           .apply = [rows](const std::vector<Var>& x) { return prepend(x[0], rows); },
           .constant = Tensor::of({6, 3}, constant),
           .rejected = {{random_tensor({2, 4, 4}, 1)}, {random_tensor({4, 3}, 1)}}}};
}

}  // namespace headwater::testing
