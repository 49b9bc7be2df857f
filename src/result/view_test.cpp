// Words and special tokens, on numbers added up by hand.
#include <cmath>

#include <gtest/gtest.h>
#include <headwater/error.h>
#include <headwater/formats.h>

#include "engine/agreement.h"

namespace headwater {
namespace {

const double no_value = std::nan("");

// [CLS] un ##kind deed [SEP]
Report sample() {
  Report report{.text = "unkind deed"};
  report.prediction.units = {{.id = 1, .piece = "[CLS]", .text = "[CLS]", .special = true},
                             {.id = 2, .piece = "un", .text = "un", .begin = 0, .end = 2, .word = 0},
                             {.id = 3, .piece = "##kind", .text = "kind", .begin = 2, .end = 6, .word = 0},
                             {.id = 4, .piece = "deed", .text = "deed", .begin = 7, .end = 11, .word = 1},
                             {.id = 5, .piece = "[SEP]", .text = "[SEP]", .special = true}};
  Attribution map{.method = "map",
                  .traits = {.rows_sum_to_one = true},
                  .maps = {{.axes = {Axis::Layer, Axis::Query, Axis::Key}}}};
  map.scores() = Tensor::of({1, 5, 5}, std::vector<double>{.2, .1, .3, .3, .1,  //
                                                           .0, .5, .1, .2, .2,  //
                                                           .2, .1, .3, .4, .0,  //
                                                           .5, .1, .1, .2, .1,  //
                                                           1., .0, .0, .0, .0});
  map.answer = map.scores().reshaped({5, 5}).rows(0, 1);
  Attribution scores{.method = "scores", .maps = {{.axes = {Axis::Units}}}};
  scores.scores() = Tensor::of({5}, std::vector<double>{9, 1, -3, 4, 7});
  report.attributions = {map, scores};
  report.target.position = 3;
  return report;
}

std::vector<Index> rows_in(Report report, const View& view) {
  report.asked.view = view;
  report.read = {{.row = 0}, {.row = 1}, {.row = 2}, {.row = 3}};
  std::vector<Index> rows;
  for (const Read& read : viewed(report).read) rows.push_back(read.row);
  return rows;
}

Report shown_as(Report report, const View& view) {
  report.asked.view = view;
  return viewed(report);
}

void expect_near(const Tensor& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), static_cast<Index>(expected.size()));
  for (Index i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found.at(i), expected[static_cast<std::size_t>(i)], 1e-6) << i;
}

TEST(View, RowsThatWereReadAreCountedInIt) {
  EXPECT_EQ(rows_in(sample(), {}), (std::vector<Index>{0, 1, 2, 3}));
  EXPECT_EQ(rows_in(sample(), {.unit = View::Unit::Word}), (std::vector<Index>{0, 1, 2}))
      << "two tokens of one word";
  EXPECT_EQ(rows_in(sample(), {.unit = View::Unit::Word, .special = View::Special::Hide}),
            (std::vector<Index>{0, 1}));
}

TEST(View, TokensAsTheyAreByDefault) {
  Report report = sample();
  report = shown_as(report, {});
  EXPECT_EQ(report.prediction.units.size(), 5U);
  EXPECT_EQ(report.target.position, 3);
}

TEST(View, WordsSumColumnsAndAverageRows) {
  Report report = sample();
  report = shown_as(report, {.unit = View::Unit::Word});
  ASSERT_EQ(report.prediction.units.size(), 4U);
  EXPECT_EQ(report.prediction.units[1].text, "unkind");
  EXPECT_EQ(report.prediction.units[1].id, -1);
  EXPECT_EQ(report.target.position, 2);
  EXPECT_EQ(report.attributions[0].scores().shape(), (Shape{1, 4, 4}));
  expect_near(report.attributions[0].scores(), {.2, .4, .3, .1, .1, .5, .3, .1, .5, .2, .2, .1, 1, 0, 0, 0});
  expect_near(report.attributions[1].scores(), {9, -2, 4, 7});
}

TEST(View, DroppedTokensLeaveRowsThatSumToOne) {
  Report report = sample();
  report = shown_as(report, {.special = View::Special::Drop});
  expect_near(report.attributions[0].scores(),
              {.5 / .8, .1 / .8, .2 / .8, .1 / .8, .3 / .8, .4 / .8, .25, .25, .5});
  expect_near(report.attributions[0].answer, {.1 / .7, .3 / .7, .3 / .7});
  expect_near(report.attributions[1].scores(), {1, -3, 4});
  EXPECT_EQ(report.target.position, 2);
}

TEST(View, HiddenTokensChangeNoNumber) {
  Report report = sample();
  report = shown_as(report, {.special = View::Special::Hide});
  expect_near(report.attributions[0].scores(), {.5, .1, .2, .1, .3, .4, .1, .1, .2});
}

TEST(View, ForbiddenOnlyWhereEveryCellIs) {
  Report report = sample();
  report.attributions.resize(1);
  report.attributions[0].scores() =
      Tensor::of({1, 5, 5}, std::vector<double>{1,  no_value, no_value, no_value, no_value,  //
                                                .5, .5,       no_value, no_value, no_value,  //
                                                .2, .3,       .5,       no_value, no_value,  //
                                                .1, .2,       .3,       .4,       no_value,  //
                                                .2, .2,       .2,       .2,       .2});
  report = shown_as(report, {.unit = View::Unit::Word});
  const Tensor& map = report.attributions[0].scores();
  EXPECT_TRUE(std::isnan(map.at(1)));
  EXPECT_NEAR(map.at(5), (.5 + .8) / 2, 1e-12);
  EXPECT_TRUE(std::isnan(map.at(6)));
}

TEST(View, RefusesToShowNothing) {
  Report report = sample();
  report.prediction.units = {{.piece = "[CLS]", .special = true}};
  report.attributions.clear();
  EXPECT_THROW(shown_as(report, {.special = View::Special::Drop}), InputError);
}

TEST(Agreement, OfMapsPerLayerAndOfTheAnswer) {
  Report report = sample();
  report.attributions.push_back(report.attributions[0]);
  report.target.position = 0;
  for (Attribution& attribution : report.attributions) attribution.answer = Tensor();
  const std::vector<Agreement> pairs = agreement_of(report);
  ASSERT_EQ(pairs.size(), 3U);
  EXPECT_TRUE(pairs[0].kendall.empty()) << "scores per token have no layers";
  // (.2 .1 .3 .3 .1) against (9 1 −3 4 7): 3 pairs in the same order, 5 not, 2 tied on the left of 10
  EXPECT_NEAR(pairs[0].whole_kendall, -2 / std::sqrt(8.0 * 10.0), 1e-12);
  ASSERT_EQ(pairs[1].kendall.size(), 1U);
  EXPECT_NEAR(pairs[1].kendall[0], 1, 1e-12);
  EXPECT_NEAR(pairs[1].whole_spearman, 1, 1e-12);
}

// Zeros that fill a place rank nothing: of (0 1 −3 4 0) and (0 2 5 9 7) the middle three are left, and in
// them (1 −3 4) against (2 5 9) has two pairs of three in the same order.
TEST(Agreement, IsOverWhatBothMeasured) {
  Report report = sample();
  Attribution &first = report.attributions[0], &second = report.attributions[1];
  first = {.method = "one", .maps = {{.axes = {Axis::Units}}}};
  first.scores() = Tensor::of({5}, std::vector<double>{0, 1, -3, 4, 0});
  first.measured = {false, true, true, true, false};
  second.scores() = Tensor::of({5}, std::vector<double>{0, 2, 5, 9, 7});
  second.measured = {false, true, true, true, true};
  const std::vector<Agreement> pairs = agreement_of(report);
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].units, 3);
  EXPECT_NEAR(pairs[0].whole_kendall, 1.0 / 3, 1e-12);
  EXPECT_NEAR(pairs[0].whole_spearman, 0.5, 1e-12);
}

TEST(View, AWordWasMeasuredIfATokenOfItWas) {
  Report report = sample();
  report.attributions[1].measured = {false, true, false, false, false};
  report = shown_as(report, {.unit = View::Unit::Word});
  EXPECT_EQ(report.attributions[1].measured, (std::vector<bool>{false, true, false, false}));
  report = sample();
  report.attributions[1].measured = {false, true, true, true, false};
  report = shown_as(report, {.special = View::Special::Hide});
  EXPECT_TRUE(report.attributions[1].measured.empty()) << "all that is shown";
}

}  // namespace
}  // namespace headwater
