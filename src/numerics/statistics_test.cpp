// What has no golden: the ends, and independence of threads. tests/golden/statistics_goldens_test.cpp
// compares with SciPy.
#include <cmath>

#include <gtest/gtest.h>

#include "base/parallel.h"
#include "numerics/bootstrap.h"
#include "numerics/paired_tests.h"
#include "numerics/ranking_quality.h"

namespace headwater {
namespace {

TEST(Statistics, AnIntervalDoesNotDependOnThreads) {
  std::vector<double> values;
  for (int i = 0; i < 57; ++i) values.push_back(std::sin(i * i));
  set_thread_count(1);
  const Interval alone = bootstrap_mean(values);
  const double p_alone = sign_permutation_p(values);
  set_thread_count(3);
  const Interval together = bootstrap_mean(values);
  const double p_together = sign_permutation_p(values);
  set_thread_count(0);
  EXPECT_EQ(alone.low, together.low);
  EXPECT_EQ(alone.high, together.high);
  EXPECT_EQ(p_alone, p_together);
}

TEST(Statistics, AnIntervalOfNothingIsNoNumber) {
  EXPECT_TRUE(std::isnan(bootstrap_mean({}).low));
  const std::vector<double> same(5, 2.5);
  EXPECT_EQ(bootstrap_mean(same).low, 2.5);
  EXPECT_EQ(bootstrap_mean(same).high, 2.5);
  const Interval never = bootstrap_interval(3, [](std::span<const std::size_t>) { return std::nan(""); });
  EXPECT_TRUE(std::isnan(never.low));
}

TEST(Statistics, NoDifferenceIsNoEvidence) {
  const std::vector<double> zeros(6, 0.0);
  EXPECT_EQ(wilcoxon_p(zeros), 1);
  EXPECT_EQ(wilcoxon_p({}), 1);
  EXPECT_EQ(sign_permutation_p(zeros), 1);
}

TEST(Statistics, ManyExamplesTakeAPartOfThePermutations) {
  const std::vector<double> apart(40, 1.0);  // no change of signs but its mirror goes as far
  EXPECT_DOUBLE_EQ(sign_permutation_p(apart, {.permutations = 999, .seed = 5}), 1.0 / 1000);
}

TEST(Statistics, HolmLeavesOutWhatIsNoTest) {
  const std::vector<double> p{.02, std::nan(""), .03};
  const std::vector<double> adjusted = holm_adjusted(p);
  EXPECT_DOUBLE_EQ(adjusted[0], .04);
  EXPECT_TRUE(std::isnan(adjusted[1]));
  EXPECT_DOUBLE_EQ(adjusted[2], .04);
}

TEST(Statistics, TheWorkedExampleOfCues) {
  const std::vector<double> s{.40, .10, .10, .25, .15};
  EXPECT_NEAR(average_precision(s, {false, true, false, true, false}), .45, 1e-15);
}

TEST(Statistics, NothingWantedHasNoPrecision) {
  const std::vector<double> s{.4, .1};
  EXPECT_TRUE(std::isnan(average_precision(s, {false, false})));
  EXPECT_TRUE(std::isnan(precision_recall_area(s, {false, false})));
  EXPECT_TRUE(std::isnan(average_precision({}, {})));
  EXPECT_EQ(average_precision(std::vector<double>{7}, {true}), 1);
}

TEST(Statistics, EqualScoresKeepTheirOrder) {
  const std::vector<double> s{1, 3, 1, 3};
  EXPECT_EQ(descending_order(s), (std::vector<std::size_t>{1, 3, 0, 2}));
}

}  // namespace
}  // namespace headwater
