// A linear probe against what can be told by hand.
#include "numerics/linear_probe.h"

#include <cmath>

#include <gtest/gtest.h>

#include "support/random.h"

namespace headwater {
namespace {

TEST(Probe, ReadsWhatALinearMapCan) {
  std::vector<std::vector<double>> vectors;
  std::vector<bool> yes;
  for (int i = 0; i < 40; ++i) {
    const bool positive = i / 2 % 2 == 0;
    vectors.push_back({positive ? 1.0 : -1.0, 0.1 * (i % 7), 5});
    yes.push_back(positive);
  }
  EXPECT_DOUBLE_EQ(probe_accuracy(vectors, yes), 1);
}

TEST(Probe, DoesNotReadWhatIsNotThere) {
  std::vector<std::vector<double>> vectors;
  std::vector<bool> yes;
  const Tensor noise = testing::random_tensor({400, 3}, 5);
  for (Index i = 0; i < 400; ++i) {
    vectors.push_back({noise.at(3 * i), noise.at(3 * i + 1), noise.at(3 * i + 2)});
    yes.push_back(i / 2 % 2 == 0);
  }
  EXPECT_NEAR(probe_accuracy(vectors, yes), 0.5, 0.1);  // four standard errors
}

TEST(Probe, ExclusiveOrIsBeyondIt) {
  std::vector<std::vector<double>> vectors;
  std::vector<bool> yes;
  for (int i = 0; i < 64; ++i) {
    const int a = i / 2 % 2, b = i / 4 % 2;
    vectors.push_back({static_cast<double>(a), static_cast<double>(b)});
    yes.push_back(a != b);
  }
  EXPECT_LT(probe_accuracy(vectors, yes), 0.8);
}

TEST(Probe, OneClassAloneTeachesNothing) {
  EXPECT_TRUE(std::isnan(probe_accuracy({{1}, {2}, {3}, {4}}, {true, true, true, true})));
}

}  // namespace
}  // namespace headwater
