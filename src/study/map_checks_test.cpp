#include "study/map_checks.h"

#include <cmath>

#include <gtest/gtest.h>

namespace headwater {
namespace {

Tensor map(std::vector<double> values) {
  return Tensor::of({1, 2, 2}, values);
}

TEST(Maps, RowSumsAreMeasured) {
  EXPECT_TRUE(check_row_sums(map({0.5, 0.5, 1, 0})).passed);
  const Check check = check_row_sums(map({0.5, 0.5, 0.75, 0.5}));
  EXPECT_FALSE(check.passed);
  EXPECT_EQ(check.value, 0.25);
  EXPECT_EQ(check.bound, 1e-12);
  EXPECT_EQ(check_row_sums(map({1, 0, 0, 1}).to(DType::Float32)).bound, 1e-5);
}

TEST(Maps, NegativeWeightsAreFound) {
  EXPECT_TRUE(check_nonnegative(map({0, 1, 1, 0})).passed);
  const Check check = check_nonnegative(map({1.5, -0.5, 1, 0}));
  EXPECT_FALSE(check.passed);
  EXPECT_EQ(check.value, -0.5);
}

TEST(Maps, TheFutureIsMeasuredAndThenForbidden) {
  EXPECT_FALSE(check_causal(map({0.9, 0.1, 0.5, 0.5})).passed);
  EXPECT_EQ(check_causal(map({0.9, 0.1, 0.5, 0.5})).value, 0.1);
  Tensor lower = map({1, 0, 0.5, 0.5});
  EXPECT_TRUE(check_causal(lower).passed);
  forbid_future(lower);
  EXPECT_EQ(lower.at(0), 1);
  EXPECT_TRUE(std::isnan(lower.at(1)));
  EXPECT_EQ(lower.at(2), 0.5);
  EXPECT_EQ(lower.at(3), 0.5);
}

TEST(Maps, NextToNothingIsSaid) {
  EXPECT_EQ(maximum_note(map({0.25, 0.75, 0, 1e-9})), "The largest raw weight is 0.75.");
  EXPECT_NE(maximum_note(map({0, 1e-9, 0, 0})).find("noise"), std::string::npos);
}

}  // namespace
}  // namespace headwater
