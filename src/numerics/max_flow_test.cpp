#include "numerics/max_flow.h"

#include <limits>

#include <gtest/gtest.h>

#include "support/random_maps.h"
#include "support/reference_flow.h"

namespace headwater {
namespace {

constexpr FlowUnits no_limit = std::numeric_limits<FlowUnits>::max();

double solve(LayeredFlow& network, const Capacities& c, Index l, Index k, Index t) {
  network.choose_sink(t);
  const FlowUnits flow = network.solve(l - 1, c.row(l, k), no_limit);
  EXPECT_EQ(network.cut(), flow);
  return static_cast<double>(flow) / c.unit;
}

TEST(LayeredFlow, EqualsTheSmallestOfAllCuts) {
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    const Index T = 2 + seed % 3;
    const Tensor maps = testing::random_maps(
        4, T, {.heads = 1, .sharpness = 3, .causal = seed % 4 == 3, .residual = seed % 2 == 0 ? 0.5 : 0.0},
        seed);
    const Capacities c = capacities_of(maps);
    LayeredFlow network(c);
    for (Index l = 1; l < 4; ++l)
      for (Index k = 0; k < T; ++k)
        for (Index t = 0; t < T; ++t)
          ASSERT_NEAR(solve(network, c, l, k, t), testing::smallest_cut(maps, l, k, t), 1e-11)
              << "seed " << seed << " layer " << l << " from " << k << " to " << t;
  }
}

// 64 tokens fill a word of bits, 65 begin another.
TEST(LayeredFlow, EqualsAugmentingPathsAcrossWords) {
  for (const Index T : {63, 64, 65, 130}) {
    const Tensor maps =
        testing::random_maps(3, T, {.heads = 2, .sharpness = 3}, static_cast<std::uint32_t>(T));
    const Capacities c = capacities_of(maps);
    LayeredFlow network(c);
    for (const Index k : {Index{0}, T / 2, T - 1})
      for (const Index t : {Index{1}, T - 1})
        ASSERT_NEAR(solve(network, c, 2, k, t), testing::augmenting_flow(maps, 2, k, t), 1e-10) << T;
  }
}

TEST(LayeredFlow, StopsAtItsLimitAndForgetsTheLastQuestion) {
  const Tensor maps = testing::random_maps(5, 20, {.heads = 1, .sharpness = 4}, 5);
  const Capacities c = capacities_of(maps);
  LayeredFlow used(c);
  used.choose_sink(3);
  const FlowUnits whole = used.solve(3, c.row(4, 7), no_limit);
  EXPECT_EQ(used.solve(3, c.row(4, 7), whole / 2), whole / 2);
  EXPECT_EQ(used.solve(3, c.row(4, 7), 0), 0);
  for (Index t = 0; t < 20; ++t) {
    LayeredFlow fresh(c);
    fresh.choose_sink(t);
    used.choose_sink(t);
    EXPECT_EQ(used.solve(3, c.row(4, t / 2), no_limit), fresh.solve(3, c.row(4, t / 2), no_limit));
  }
}

// The direct way fills an arc that a second source needs, so the flow must be taken back: a → x → t first,
// then b → x only; the largest flow sends a over y.
TEST(LayeredFlow, TakesFlowBack) {
  const Tensor maps = Tensor::of({3, 2, 2}, std::vector<double>{0.5, 0, 0.5, 0,    // x → t, y → t
                                                                0.5, 0.5, 0.5, 0,  // a → x, a → y, b → x
                                                                0.5, 0.5, 0, 1});
  const Capacities c = capacities_of(maps);
  LayeredFlow network(c);
  EXPECT_EQ(solve(network, c, 2, 0, 0), 1);
  EXPECT_EQ(solve(network, c, 2, 0, 1), 0) << "nothing leads there";
}

}  // namespace
}  // namespace headwater
