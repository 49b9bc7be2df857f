#include "prose/side_by_side.h"

#include <gtest/gtest.h>

#include "support/sample_report.h"

namespace headwater {
namespace {

Report scored(std::vector<std::vector<double>> methods) {
  Report report = testing::text_report();
  report.attributions.clear();
  for (std::size_t m = 0; m < methods.size(); ++m)
    report.attributions.push_back({.method = "method_" + std::to_string(m),
                                   .maps = {{.axes = {Axis::Units}, .values = Tensor::of({5}, methods[m])}}});
  return report;
}

TEST(SideBySide, HasAColumnForEachMethodInTheOrderOfTheText) {
  EXPECT_EQ(results_side_by_side(scored({{9, 1, 2, 0, 0}, {0, -4, 0, 2, 0}}), {.width = 60}),
            "              method_0               method_1\n"
            "  not         +1        █████        -4        ▒▒▒▒▒▒▒▒▒▒\n"
            "  bad         +2        ██████████   +0\n"
            "  !           +0                     +2        █████\n");
}

TEST(SideBySide, IsLeftOutWhereItHasNothingToCompareOrNoRoom) {
  const std::vector<double> one{0, 1, 2, 3, 0};
  EXPECT_EQ(results_side_by_side(scored({one}), {.width = 80}), "");
  EXPECT_EQ(results_side_by_side(scored({one, one, one, one}), {.width = 80}), "");
  EXPECT_EQ(results_side_by_side(scored({one, one}), {.width = 40}), "");
  EXPECT_EQ(results_side_by_side(testing::image_report(), {.width = 80}), "");
}

}  // namespace
}  // namespace headwater
