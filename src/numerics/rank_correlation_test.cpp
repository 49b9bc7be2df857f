// Expected values are SciPy's (stats.kendalltau, stats.spearmanr).
#include "numerics/rank_correlation.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace headwater {
namespace {

TEST(Rank, TiesShareTheMeanRank) {
  const std::vector<double> values{.4, .1, .1, .25, .15};
  EXPECT_EQ(average_ranks(values), (std::vector<double>{5, 1.5, 1.5, 4, 3}));
  EXPECT_TRUE(average_ranks({}).empty());
}

TEST(Rank, EqualsSciPyWithTies) {
  const std::vector<double> a{.4, .1, .1, .25, .15}, b{.3, .2, .05, .05, .4};
  EXPECT_NEAR(kendall_tau_b(a, b), 0.2222222222222222, 1e-14);
  EXPECT_NEAR(spearman(a, b), 0.2894736842105264, 1e-14);
  const std::vector<double> c{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5}, d{2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4};
  EXPECT_NEAR(kendall_tau_b(c, d), 0.14757295747452434, 1e-14);
  EXPECT_NEAR(spearman(c, d), 0.1384567651467695, 1e-14);
  std::vector<double> e, f;
  for (int i = 0; i < 60; ++i) {
    e.push_back(i * 37 % 101 / 7.0);
    f.push_back(i * i * 13 % 53);
  }
  EXPECT_NEAR(kendall_tau_b(e, f), 0.06798479530522175, 1e-14);
  EXPECT_NEAR(spearman(e, f), 0.10203658074909452, 1e-14);
}

TEST(Rank, EqualValuesHaveNoOrderHoweverTheirMeanIsRounded) {
  const std::vector<double> same(20, .3);
  std::vector<double> rising;
  for (int i = 0; i < 20; ++i) rising.push_back(i);
  EXPECT_TRUE(std::isnan(pearson(same, rising)));
  EXPECT_TRUE(std::isnan(pearson(rising, same)));
  EXPECT_TRUE(std::isnan(pearson(same, same)));
}

TEST(Rank, CountsEveryPairAsTheDefinitionDoes) {
  std::mt19937 random(7);
  for (int n = 2; n < 40; ++n) {
    std::vector<double> a, b;
    for (int i = 0; i < n; ++i) {
      a.push_back(static_cast<double>(random() % 9));
      b.push_back(static_cast<double>(random() % 6));
    }
    double sum = 0, in_a = 0, in_b = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const double x = (a[i] > a[j]) - (a[i] < a[j]), y = (b[i] > b[j]) - (b[i] < b[j]);
        sum += x * y;
        in_a += x * x;
        in_b += y * y;
      }
    if (in_a == 0 || in_b == 0) continue;
    EXPECT_NEAR(kendall_tau_b(a, b), sum / std::sqrt(in_a * in_b), 1e-13) << n;
  }
}

TEST(Rank, NoOrderIsNoNumber) {
  const std::vector<double> constant{1, 1, 1}, rising{1, 2, 3}, one{1};
  EXPECT_TRUE(std::isnan(kendall_tau_b(constant, rising)));
  EXPECT_TRUE(std::isnan(spearman(rising, constant)));
  EXPECT_TRUE(std::isnan(kendall_tau_b(one, one)));
  EXPECT_TRUE(std::isnan(pearson({}, {})));
}

}  // namespace
}  // namespace headwater
