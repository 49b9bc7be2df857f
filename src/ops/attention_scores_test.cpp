#include "support/op_samples.h"
#include "support/random.h"

namespace headwater::testing {

std::vector<OpSample> attention_scores_samples() {
  std::vector<OpSample> samples;
  for (const int groups : {4, 2, 1}) {
    const HeadLayout layout{.heads = 4, .groups = groups, .scale = 0.7, .causal = false};
    samples.push_back(
        {.name = "4 heads on " + std::to_string(groups),
         .inputs = {random_tensor({2, 3, 4 * 5}, 1), random_tensor({2, 3, groups * 5}, 2)},
         .apply = [layout](const std::vector<Var>& x) { return attention_scores(x[0], x[1], layout); },
         .rejected = {{random_tensor({2, 3, 4 * 5}, 1), random_tensor({2, 3, groups * 6}, 2)},
                      {random_tensor({2, 3, 4 * 5}, 1), random_tensor({1, 3, groups * 5}, 2)},
                      {random_tensor({3, 4 * 5}, 1), random_tensor({3, groups * 5}, 2)}}});
  }
  return samples;
}

}  // namespace headwater::testing
