#include "numerics/random.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace headwater {
namespace {

TEST(Random, SplitMix64IsThePublishedOne) {
  EXPECT_EQ(splitmix64(0), 0xE220A8397B1DCDAFU);  // first output of the published generator from state 0
  EXPECT_EQ(splitmix64(0x9E3779B97F4A7C15U), 0x6E789E6AA1B965F4U);  // and the second
}

TEST(Random, MomentsAreThoseOfTheDistributions) {
  double mean = 0, square = 0, normal = 0, normal_square = 0;
  constexpr int n = 100000;
  for (std::uint64_t i = 0; i < n; ++i) {
    const double u = random_uniform(7, i), g = random_normal(7, i);
    ASSERT_TRUE(u >= 0 && u < 1);
    mean += u / n;
    square += u * u / n;
    normal += g / n;
    normal_square += g * g / n;
  }
  EXPECT_NEAR(mean, 0.5, 0.005);
  EXPECT_NEAR(square, 1.0 / 3, 0.005);
  EXPECT_NEAR(normal, 0, 0.02);
  EXPECT_NEAR(normal_square, 1, 0.02);
}

TEST(Random, OrdersArePermutationsAndSeedsMatter) {
  std::vector<std::size_t> order = random_order(3, 50);
  EXPECT_EQ(order, random_order(3, 50));
  EXPECT_NE(order, random_order(4, 50));
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], i);
  EXPECT_NE(random_stream(1, "a"), random_stream(1, "b"));
  EXPECT_NE(random_stream(1, "a"), random_stream(2, "a"));
}

TEST(RandomSequence, IsSplitmix64) {  // the generator's published first outputs for seed 1234567
  RandomSequence random(1234567);
  EXPECT_EQ(random.bits(), 6457827717110365317U);
  EXPECT_EQ(random.bits(), 3203168211198807973U);
  EXPECT_EQ(random.bits(), 9817491932198370423U);
}

TEST(RandomSequence, NormalHasMeanZeroAndVarianceOne) {
  RandomSequence random(1);
  double sum = 0, squares = 0;
  constexpr int n = 100000;
  for (int k = 0; k < n; ++k) {
    const double x = random.normal();
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / n, 0, 0.02);
  EXPECT_NEAR(squares / n, 1, 0.02);
}

TEST(RandomSequence, ChoicesAreOfTheSizeAskedForAndEven) {
  RandomSequence random(2);
  std::vector<int> counts(5, 0);
  for (int k = 0; k < 20000; ++k) {
    const std::vector<bool> chosen = random.choice(5, 2);
    ASSERT_EQ(std::count(chosen.begin(), chosen.end(), true), 2);
    for (std::size_t u = 0; u < 5; ++u) counts[u] += chosen[u] ? 1 : 0;
  }
  for (const int count : counts) EXPECT_NEAR(count, 8000, 250);
  EXPECT_EQ(random.choice(3, 0), std::vector<bool>(3, false));
  EXPECT_EQ(random.choice(3, 3), std::vector<bool>(3, true));
}

}  // namespace
}  // namespace headwater
