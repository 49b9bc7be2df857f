#include "study/checks.h"

#include <limits>

#include <gtest/gtest.h>

namespace headwater {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Check kept(double first, double second) {
  std::vector<Check> checks{check_within("sum", first, 0.5)};
  keep_worst(checks, check_within("sum", second, 0.5));
  EXPECT_EQ(checks.size(), 1U);
  return checks.front();
}

TEST(Checks, TheOneNearerToItsBoundOrFurtherBeyondItIsKept) {
  EXPECT_EQ(kept(0.1, 0.4).value, 0.4);
  EXPECT_EQ(kept(0.4, 0.1).value, 0.4);
  EXPECT_EQ(kept(0.4, 0.6).value, 0.6);
  EXPECT_EQ(kept(0.9, 0.4).value, 0.9);
  EXPECT_EQ(kept(0.6, 0.9).value, 0.9);
}

TEST(Checks, WhatIsNoNumberIsNeverHiddenByANumber) {
  EXPECT_TRUE(std::isnan(kept(0.1, nan).value));
  EXPECT_TRUE(std::isnan(kept(nan, 0.1).value));
  EXPECT_TRUE(std::isnan(kept(0.9, nan).value));
  EXPECT_FALSE(kept(0.1, nan).passed);
}

TEST(Checks, BoundsOfDifferentSizesAreComparedByTheirShare) {
  EXPECT_TRUE(is_worse(check_within("", 0.09, 0.1), check_within("", 0.5, 1)));
  EXPECT_TRUE(is_worse(check_within("", 0.3, 0.1), check_within("", 1.5, 1)));
}

TEST(Checks, AValueThatMayNotFallBelowNothingIsWorseTheSmallerItIs) {
  const auto at_least_nothing = [](double value) {
    return Check{.name = "smallest", .passed = value >= 0, .value = value, .bound = 0};
  };
  EXPECT_TRUE(is_worse(at_least_nothing(0.1), at_least_nothing(0.2)));
  EXPECT_TRUE(is_worse(at_least_nothing(-0.1), at_least_nothing(0.2)));
  EXPECT_TRUE(is_worse(at_least_nothing(-0.2), at_least_nothing(-0.1)));
}

TEST(Checks, OtherNamesAreKeptBesideEachOther) {
  std::vector<Check> checks;
  keep_worst(checks, check_within("a", 1, 2));
  keep_worst(checks, check_within("b", 3, 2));
  ASSERT_EQ(checks.size(), 2U);
  EXPECT_EQ(checks[1].name, "b");
}

}  // namespace
}  // namespace headwater
