#include "drawing/tips.h"

#include <cmath>

#include <gtest/gtest.h>

#include "support/sample_report.h"

namespace headwater {
namespace {

TEST(Tips, NumbersKeepFourFigures) {
  EXPECT_EQ(shown_number(0.12345), "0.1235");
  EXPECT_EQ(shown_number(-1.5), "−1.5000");
  EXPECT_EQ(shown_number(0.001), "0.0010");
  EXPECT_EQ(shown_number(0.000123456), "1.23e−4");
  EXPECT_EQ(shown_number(-2e-12), "−2.00e−12");
  EXPECT_EQ(shown_number(0), "0.0000");
  EXPECT_EQ(shown_number(-0.0), "0.0000");
  EXPECT_EQ(shown_number(NAN), "–");
}

TEST(Tips, NamesStandInQuotes) {
  EXPECT_EQ(in_quotes(" film"), "“film”");
  EXPECT_EQ(in_quotes("a\nb"), "“a⏎b”");
  EXPECT_EQ(in_quotes(" "), "“␣”");
  EXPECT_EQ(in_quotes(""), "“␣”");
}

TEST(Tips, SayWhere) {
  const Report report = testing::text_report();
  const Map& heads = report.attributions[0].maps[0];
  EXPECT_EQ(place_words(heads, 1, 0), "L1 H0");
  EXPECT_EQ(place_words(heads, 1, -1), "L1 mean of heads");
  EXPECT_EQ(place_words(report.attributions[1].maps[0], 1, -1), "L1");
  EXPECT_EQ(scores_words(report, report.attributions[0], 1), "attention L1 mean of heads");
  Attribution scores{.method = "chefer",
                     .traits = {.of_target = true},
                     .maps = {{.axes = {Axis::Units}, .values = Tensor::of({1}, std::vector<double>{1})}}};
  EXPECT_EQ(scores_words(report, scores, 0), "chefer for POSITIVE");
  EXPECT_EQ(cell_tip("", "“a”", "“b”", NAN), "“a” reads “b” masked");
  EXPECT_EQ(score_tip("chefer", "“a”", NAN, false), "chefer: “a” not measured");
  EXPECT_EQ(score_tip("attention", "“a”", NAN, true), "attention: “a” masked");
}

}  // namespace
}  // namespace headwater
