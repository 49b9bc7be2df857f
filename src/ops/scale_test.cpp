#include "support/op_samples.h"
#include "support/random.h"

namespace headwater::testing {

std::vector<OpSample> scale_samples() {
  return {{.name = "by −2.5", .inputs = {random_tensor({2, 3}, 1)}, .apply = [](const std::vector<Var>& x) {
             return scale(x[0], -2.5);
           }}};
}

}  // namespace headwater::testing
