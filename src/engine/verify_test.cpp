#include "engine/verify.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <headwater/error.h>

namespace headwater {
namespace {

Report report_of(const std::vector<double>& scores) {
  Report report;
  report.attributions.push_back({.method = "saliency", .maps = {{.axes = {Axis::Units}}}});
  report.attributions.back().scores() =
      Tensor::of({static_cast<Index>(scores.size())}, scores, DType::Float64);
  return report;
}

Attribution compared(const std::vector<double>& found, const std::vector<double>& exact) {
  Report report = report_of(found);
  compare_with_exact(report, report_of(exact));
  return report.attributions.front();
}

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Verify, TheLargestDifferenceAsAShareOfTheLargestScore) {
  const Attribution result = compared({1, -3.99, 2, nan}, {1, -4, 2.02, nan});
  ASSERT_EQ(result.checks.size(), 1U);
  EXPECT_EQ(result.checks[0].name, "float32 against float64");
  EXPECT_NEAR(result.checks[0].value, 0.005, 1e-12);
  EXPECT_EQ(result.checks[0].bound, 0.01);
  EXPECT_TRUE(result.checks[0].passed);
  EXPECT_EQ(result.notes.back(),
            "float64 differs by 0.005 of the largest score; rank correlation of all 3 scores 1.000000.");
}

TEST(Verify, FailsBeyondAHundredth) {
  const Attribution result = compared({1, 2, 4.1}, {2, 1, 4});
  EXPECT_FALSE(result.checks[0].passed);
  EXPECT_NEAR(result.checks[0].value, 0.25, 1e-12);
  EXPECT_NE(result.notes.back().find("0.500000"), std::string::npos) << "two of three ranks exchanged";
}

TEST(Verify, AValueOnOneSideOnlyIsInfinitelyFar) {
  EXPECT_FALSE(compared({1, nan}, {1, 2}).checks[0].passed);
  EXPECT_FALSE(compared({1, 1}, {0, 0}).checks[0].passed);
}

TEST(Verify, NothingIsNoDifference) {
  const Attribution result = compared({0, 0}, {0, 0});
  EXPECT_TRUE(result.checks[0].passed);
  EXPECT_EQ(result.notes.back(), "float64 differs by 0 of the largest score.");
}

TEST(Verify, ResultsOfOtherShapesAreOurMistake) {
  EXPECT_THROW(compared({1, 2}, {1, 2, 3}), InternalError);
}

}  // namespace
}  // namespace headwater
