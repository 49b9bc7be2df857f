#include "explain/rollout.h"

#include <cmath>

#include <gtest/gtest.h>
#include <headwater/error.h>

namespace headwater {
namespace {

// Four row-stochastic maps; expected products were made by NumPy.
const std::vector<double> maps{.6, .3, .1, .2, .5, .3, .1,  .1,  .8, .2, .2,  .6,  .7, .2, .1, .3, .4, .3,
                               .1, .8, .1, .4, .4, .2, .25, .25, .5, .5, .25, .25, .1, .1, .8, .6, .2, .2};

Tensor with_residual() {
  Tensor all({4, 3, 3}, DType::Float64);
  for (Index l = 0; l < 4; ++l) {
    std::vector<double> map(maps.begin() + l * 9, maps.begin() + (l + 1) * 9);
    EXPECT_EQ(mix_with_identity(map, 3, 0.5), -1);
    std::copy(map.begin(), map.end(), all.data<double>() + l * 9);
  }
  return all;
}

void expect_layer(const Tensor& all, Index layer, const std::vector<double>& expected) {
  for (Index i = 0; i < 9; ++i)
    EXPECT_NEAR(all.at(layer * 9 + i), expected[static_cast<std::size_t>(i)], 5e-9) << layer << " " << i;
}

TEST(RollOut, MultipliesUpwards) {
  Tensor all = with_residual();
  roll_out(all);
  expect_layer(all, 0, {.8, .15, .05, .1, .75, .15, .05, .05, .9});
  expect_layer(all, 1, {.505, .18, .315, .3425, .505, .1525, .1725, .205, .6225});
  expect_layer(all, 3, {.39169531, .31460937, .29369531, .31219375, .3368125, .35099375, .304, .278, .418});
}

TEST(RollOut, StartsWhereItIsTold) {
  Tensor all = with_residual();
  const std::vector<double> identity{1, 0, 0, 0, 1, 0, 0, 0, 1};  // as it is below the layer it starts at
  std::copy(identity.begin(), identity.end(), all.data<double>());
  roll_out(all);
  expect_layer(all, 0, {1, 0, 0, 0, 1, 0, 0, 0, 1});
  expect_layer(all, 1, {.6, .1, .3, .35, .6, .05, .15, .2, .65});
}

TEST(MixWithIdentity, DividesByTheRowSum) {
  std::vector<double> map{3, 1, 0, 0, 2, 2, 0, 0, 0};
  EXPECT_EQ(mix_with_identity(map, 3, 0), 2) << "the first row without any weight";
  EXPECT_EQ(map, (std::vector<double>{.75, .25, 0, 0, .5, .5, 0, 0, 0}));
  EXPECT_EQ(mix_with_identity(map, 3, 0.5), -1) << "the identity fills an empty row";
  EXPECT_EQ(map, (std::vector<double>{.875, .125, 0, 0, .75, .25, 0, 0, 1}));
}

TEST(FuseHeads, MeanMaximumMinimum) {
  const std::vector<double> values{.25, .75, 1, 0, .5, .5, .5, .5};
  for (const DType dtype : {DType::Float64, DType::Float32})
    for (const Shape& shape : {Shape{2, 2, 2}, Shape{1, 2, 2, 2}}) {
      const Tensor heads = Tensor::of({2, 2, 2}, values, dtype).reshaped(shape);
      EXPECT_EQ(fuse_heads(heads, fusion_of("mean")), (std::vector<double>{.375, .625, .75, .25}));
      EXPECT_EQ(fuse_heads(heads, fusion_of("max")), (std::vector<double>{.5, .75, 1, .5}));
      EXPECT_EQ(fuse_heads(heads, fusion_of("min")), (std::vector<double>{.25, .5, .5, 0}));
    }
  EXPECT_THROW(fusion_of("median"), InternalError);
}

TEST(DiscardSmallest, TakesTheFirstOfEqualsAndOnlyAllowedCells) {
  std::vector<double> map{.5, .5, .25, .25};
  discard_smallest(map, 2, 0.25, false);
  EXPECT_EQ(map, (std::vector<double>{.5, .5, 0, .25}));
  std::vector<double> causal{1, 0, .25, .75};
  discard_smallest(causal, 2, 0.34, true);  // one of three
  EXPECT_EQ(causal, (std::vector<double>{1, 0, 0, .75}));
  std::vector<double> kept{.1, .2, .3, .4};
  discard_smallest(kept, 2, 0.2, false);  // ⌊0.8⌋ = 0
  EXPECT_EQ(kept, (std::vector<double>{.1, .2, .3, .4}));
}

}  // namespace
}  // namespace headwater
