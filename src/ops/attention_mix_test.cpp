#include <gtest/gtest.h>

#include "support/op_samples.h"
#include "support/random.h"

namespace headwater::testing {

std::vector<OpSample> attention_mix_samples() {
  std::vector<OpSample> samples;
  for (const int groups : {4, 2, 1}) {
    const HeadLayout layout{.heads = 4, .groups = groups, .scale = 1, .causal = false};
    samples.push_back(
        {.name = "4 heads on " + std::to_string(groups),
         .inputs = {random_tensor({2, 4, 3, 3}, 1), random_tensor({2, 3, groups * 5}, 2)},
         .apply = [layout](const std::vector<Var>& x) { return attention_mix(x[0], x[1], layout); },
         .rejected = {{random_tensor({2, 3, 3, 3}, 1), random_tensor({2, 3, groups * 5}, 2)},
                      {random_tensor({2, 4, 3, 3}, 1), random_tensor({2, 4, groups * 5}, 2)}}});
  }
  return samples;
}

TEST(AttentionMix, SharesRelevanceHalfAndHalf) {
  Tape tape;
  const Var pattern = tape.leaf(Tensor::of({1, 1, 2, 2}, std::vector<double>{.7, .3, .2, .8}));
  const Var v = tape.leaf(Tensor::of({1, 2, 2}, std::vector<double>{1, -.5, 2, .25}));
  const Var z = attention_mix(pattern, v, {.heads = 1, .groups = 1, .scale = 1, .causal = false});
  const Signals back = tape.pull(z, Tensor::of({1, 2, 2}, std::vector<double>{.4, .1, .3, .2}),
                                 {.relevance = Rules::Relevance::Chefer, .guard = Rules::Guard::Reference});
  const std::vector<double> to_pattern{.171328671, .078671329, -.083333332, .333333331};
  const std::vector<double> to_v{.124358974, -.036363635, .225641025, .186363634};
  for (Index i = 0; i < 4; ++i) {
    EXPECT_NEAR(back.of(pattern).at(i), to_pattern[static_cast<std::size_t>(i)], 6e-10);
    EXPECT_NEAR(back.of(v).at(i), to_v[static_cast<std::size_t>(i)], 6e-10);
  }
}

}  // namespace headwater::testing
