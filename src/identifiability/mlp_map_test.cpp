#include "identifiability/mlp_map.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/parallel.h"
#include "support/random.h"

namespace headwater {
namespace {

using testing::random_tensor;

TEST(MlpMap, GradientEqualsCentralDifferences) {
  constexpr Index n = 6, in = 5, hidden = 7, out = 4;
  const Tensor e = random_tensor({n, in}, 1), x = random_tensor({n, out}, 2);
  for (const TokenDistance distance : {TokenDistance::Cosine, TokenDistance::L2}) {
    MlpMap<double> map(in, hidden, out, 3);
    for (std::size_t i = 0; i < map.parameters.size(); ++i)
      map.parameters[i] += 0.01 * static_cast<double>(i % 7);
    std::vector<double> gradient;
    const double loss = map.loss(e.data<double>(), x.data<double>(), n, distance, gradient);
    EXPECT_NEAR(loss, map.loss(e.data<double>(), x.data<double>(), n, distance), 1e-14);
    ASSERT_EQ(gradient.size(), map.parameters.size());
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      constexpr double step = 1e-5;
      const double kept = map.parameters[i];
      map.parameters[i] = kept + step;
      const double above = map.loss(e.data<double>(), x.data<double>(), n, distance);
      map.parameters[i] = kept - step;
      const double below = map.loss(e.data<double>(), x.data<double>(), n, distance);
      map.parameters[i] = kept;
      ASSERT_NEAR(gradient[i], (above - below) / (2 * step), 1e-8) << i;
    }
  }
}

TEST(MlpMap, StartsGlorotUniform) {
  const MlpMap<float> map(30, 40, 20, 1);
  const auto bound = [](double fans) { return std::sqrt(6 / fans); };
  double most = 0, square = 0;
  for (std::size_t i = 0; i < 1200; ++i) {
    most = std::max(most, std::abs(double{map.parameters[i]}));
    square += double{map.parameters[i]} * double{map.parameters[i]} / 1200;
  }
  EXPECT_LE(most, bound(70));
  EXPECT_GT(most, 0.98 * bound(70));
  EXPECT_NEAR(square, 2.0 / 70, 0.003);  // variance 2/(in + out)
  for (std::size_t i = 1200; i < 1240; ++i) EXPECT_EQ(map.parameters[i], 0);
}

struct Data {
  Tensor e, x, held_e, held_x;
};

Data cubes(Index n) {
  const auto target = [](const Tensor& rows) {
    std::vector<double> values = rows.to_doubles();
    for (double& v : values) v = v * v * v / 3;
    return Tensor::of(rows.shape(), values, DType::Float32);
  };
  const Tensor e = random_tensor({n, 4}, 1, DType::Float32),
               held = random_tensor({n / 2, 4}, 2, DType::Float32);
  return {e, target(e), held, target(held)};
}

TEST(MlpMap, TrainingLowersTheLossAndStopsEarly) {
  const Data d = cubes(600);
  for (const TokenDistance distance : {TokenDistance::Cosine, TokenDistance::L2}) {
    MlpMap<float> map(4, 32, 4, 5);
    const MlpOptions options{
        .hidden = 32, .learning_rate = 3e-3, .batch = 64, .patience = 20, .epochs = 4000};
    const Training training = train(map, d.e, d.x, d.held_e, d.held_x, distance, options, 9, {});
    EXPECT_LT(training.losses[static_cast<std::size_t>(training.best)], 0.3 * training.losses.front());
    EXPECT_LT(training.epochs, options.epochs);
    EXPECT_EQ(training.epochs, training.best + options.patience);
    // The best weights are kept, not the last.
    EXPECT_EQ(map.loss(d.held_e.data<float>(), d.held_x.data<float>(), d.held_e.dim(0), distance),
              training.losses[static_cast<std::size_t>(training.best)]);
  }
}

TEST(MlpMap, IsTheSameForAnyNumberOfThreads) {
  const Data d = cubes(400);
  const MlpOptions options{.hidden = 300, .learning_rate = 1e-3, .batch = 128, .patience = 5, .epochs = 3};
  const int before = thread_count();
  std::vector<std::vector<float>> results;
  for (const int threads : {1, 3}) {
    set_thread_count(threads);
    MlpMap<float> map(4, 300, 4, 5);
    int shown = 0;
    train(map, d.e, d.x, d.held_e, d.held_x, TokenDistance::Cosine, options, 9, [&](int) { ++shown; });
    EXPECT_EQ(shown, 3);
    results.push_back(map.parameters);
  }
  set_thread_count(before);
  EXPECT_EQ(results[0], results[1]);
}

}  // namespace
}  // namespace headwater
