#include "explain/weighted_patterns.h"

#include <gtest/gtest.h>

#include "support/worked_models.h"

namespace headwater {
namespace {

TEST(Rows, PositiveMeanClipsBeforeTheMean) {
  const std::vector<double> a{1, -2, 3, 4, 2, 2, -1, 1}, b{1, 1, -1, 1, 1, 2, -1, -1};
  const std::vector<double> both = positive_mean(Tensor::of({1, 2, 2, 2}, a), Tensor::of({1, 2, 2, 2}, b));
  EXPECT_EQ(both, (std::vector<double>{1.5, 2, 0.5, 2}));
  EXPECT_EQ(positive_mean(Tensor::of({1, 2, 2, 2}, a)), (std::vector<double>{1.5, 1, 1.5, 2.5}));
}

// R ← R + Ā R from R = I + [[.2, .1], [0, .3]]: two blocks whose product is (I + Ā)(I + E).
TEST(Rows, ReadsARowOfTheProduct) {
  const std::vector<std::vector<double>> maps{{.2, .1, 0, .3}, {.1, .2, .3, 0}};
  const std::vector<Index> first{0}, second{1}, both{0, 1};
  const auto near = [](const std::vector<double>& found, double a, double b) {
    EXPECT_NEAR(found[0], a, 1e-15);
    EXPECT_NEAR(found[1], b, 1e-15);
  };
  near(read_through(maps, first, 2, RowSums::Kept), 1.32, .37);
  near(read_through(maps, second, 2, RowSums::Kept), .36, 1.33);
  near(read_through(maps, both, 2, RowSums::Kept), .84, .85);
  const std::vector<double> stochastic = read_through(maps, first, 2, RowSums::One);
  EXPECT_NEAR(stochastic[0] + stochastic[1], 1, 1e-15);
  EXPECT_NEAR(stochastic[0], (1.1 / 1.3) * (1.2 / 1.3), 1e-15);
  near(mean_row(maps[0], both, 2), .1, .2);
}

TEST(Rows, APatternsGradientIsCheckedByScalingIt) {
  for (const DType dtype : {DType::Float32, DType::Float64}) {
    const testing::WorkedModel worked = testing::worked_bert(5, testing::Biases::Hashed, dtype);
    Study study(*worked.model, worked.batch, {});
    study.aim({.position = -1, .index = 0});
    const std::vector<Tensor> gradients = pattern_gradients(study, 0);
    for (int l = 0; l < 2; ++l) {
      const Tensor& gradient = gradients[static_cast<std::size_t>(l)];
      const Check right = check_pattern_gradient(study, gradient, {Site::Pattern, l});
      EXPECT_TRUE(right.passed) << l << " " << right.value;
      std::vector<double> other = gradient.to_doubles();
      for (double& v : other) v *= 1.5;
      EXPECT_FALSE(
          check_pattern_gradient(study, Tensor::of(gradient.shape(), other, dtype), {Site::Pattern, l})
              .passed)
          << l;
    }
    EXPECT_TRUE(
        check_pattern_gradient(study, Tensor::zeros(gradients[0].shape(), dtype), {Site::Pattern, 0}).passed);
  }
}

}  // namespace
}  // namespace headwater
