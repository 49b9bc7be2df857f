#include "report/figure.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <headwater/error.h>

#include "support/sample_report.h"

namespace headwater {
namespace {

std::string drawn(const std::string& kind, const Report& report, const FigureOptions& options = {}) {
  for (const Figure& figure : figures())
    if (figure.name == kind) return figure.draw(report, options, "{}");
  throw InternalError("no figure " + kind);
}

std::size_t times(const std::string& svg, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = svg.find(what); at != std::string::npos; at = svg.find(what, at + 1)) ++found;
  return found;
}

// The title, which stands there twice, has the word too.
TEST(Figures, AGridHasEveryCellOfEveryLayer) {
  const Report report = testing::text_report();
  EXPECT_EQ(times(drawn("grid", report), " reads ") - 2, 2U * 5 * 5);
  EXPECT_EQ(times(drawn("matrix", report), " reads ") - 2, 5U * 5);
  EXPECT_EQ(times(drawn("heads", report, {.layer = 1}), " reads ") - 2, 2U * 5 * 5);
}

TEST(Figures, CellsHoldTheNumbersOfTheirLayerAndHead) {
  const Report report = testing::text_report();
  const Tensor& scores = report.attributions.front().scores();  // [2, 2, 5, 5]
  const std::string one = drawn("matrix", report, {.layer = 1, .head = 1});
  const double cell = scores.at(((1 * 2 + 1) * 5 + 2) * 5 + 3);
  EXPECT_EQ(times(one, fmt::format("bad reads !: {:.4g}<", cell)), 1U) << cell;
  const double mean = (scores.at(((1 * 2 + 0) * 5 + 2) * 5 + 3) + cell) / 2;
  EXPECT_EQ(times(drawn("matrix", report, {.layer = 1}), fmt::format("bad reads !: {:.4g}<", mean)), 1U)
      << mean;
}

// In cells of 14 pixels, as 27 tokens have them, the page's short form.
TEST(Figures, NumbersInNarrowCellsKeepTheirDigits) {
  Report report = testing::text_report();
  Attribution& result = report.attributions.front();
  report.attributions.resize(1);
  report.prediction.units.resize(27, report.prediction.units[1]);
  result.answer = {};
  result.axes() = {Axis::Layer, Axis::Query, Axis::Key};
  result.scores() = Tensor::of({1, 27, 27}, std::vector<double>(729, 0.43), DType::Float32);
  EXPECT_EQ(times(drawn("matrix", report), ">.43</text>"), 27U * 27);
}

// The layer that says most, as on the page, and any other on request.
TEST(Figures, AnOverlaySaysItsLayer) {
  Report report = testing::image_report();
  report.attributions.resize(1);
  Attribution& result = report.attributions.front();
  result.answer = Tensor::of({2, 5}, std::vector<double>{0.1, 0.2, 0.6, 0.05, 0.05, 0.2, 0.2, 0.2, 0.2, 0.2});
  EXPECT_EQ(times(drawn("overlay", report), "layer 0: 0.05 … 0.6<"), 1U);
  EXPECT_EQ(times(drawn("overlay", report, {.layer = 1}), "layer 1: 0.2 … 0.2<"), 1U);
  EXPECT_THROW(drawn("overlay", report, {.layer = 2}), InputError);
}

TEST(Figures, ForbiddenCellsHaveNoNumber) {
  const std::string svg = drawn("matrix", testing::causal_report());
  EXPECT_EQ(times(svg, "no number"), 3U);  // above the diagonal of three tokens
}

TEST(Figures, AStripNamesEveryTokenOfEveryMethod) {
  const std::string svg = drawn("strip", testing::text_report());
  EXPECT_EQ(times(svg, ">bad</text>"), 2U);
  EXPECT_EQ(times(drawn("strip", testing::text_report(), {.method = "attention"}), ">bad</text>"), 1U);
}

// Where the word stands in the first row: the middle of its box.
double x_of(const std::string& svg, const std::string& word) {
  const std::size_t end = svg.find(">" + word + "</text>");
  const std::size_t begin = svg.rfind("<text x=\"", end);
  if (end == std::string::npos || begin == std::string::npos) throw InternalError("no word " + word);
  return std::stod(svg.substr(begin + 9));
}

// "not bad !" with other words in their places.
Report report_of(const std::string& first, const std::string& second, const std::string& third) {
  Report report = testing::text_report();
  report.text = first + " " + second + " " + third;
  Index at = 0;
  for (const auto& [token, word] : {std::pair{1, &first}, {2, &second}, {3, &third}}) {
    Unit& unit = report.prediction.units[static_cast<std::size_t>(token)];
    unit.text = unit.piece = *word;
    unit.begin = at;
    unit.end = at + static_cast<Index>(word->size());
    at = unit.end + 1;
  }
  return report;
}

TEST(Figures, AStripOfWordsFromTheRightBeginsAtTheRight) {
  const auto stand = [](const std::string& svg, const std::vector<std::string>& from_left) {
    for (std::size_t i = 1; i < from_left.size(); ++i)
      EXPECT_LT(x_of(svg, from_left[i - 1]), x_of(svg, from_left[i]))
          << from_left[i - 1] << " " << from_left[i];
  };
  const std::string latin = drawn("strip", report_of("good", "old", "film"));
  stand(latin, {"[CLS]", "good", "old", "film", "[SEP]"});
  EXPECT_LT(x_of(latin, "[CLS]"), 210) << "at the left edge";
  const std::string hebrew = drawn("strip", report_of("סרט", "ישן", "טוב"));
  stand(hebrew, {"[SEP]", "טוב", "ישן", "סרט", "[CLS]"});
  EXPECT_GT(x_of(hebrew, "[CLS]"), 640) << "at the right edge";
  stand(drawn("strip", report_of("سيئ", "good", "film")), {"[SEP]", "good", "film", "سيئ", "[CLS]"});
  stand(drawn("strip", report_of("good", "סרט", "ישן")), {"[CLS]", "good", "ישן", "סרט", "[SEP]"});
}

// Two layers over two tokens, worked by hand: from token 0, ¾ of the last layer came from token 0 and ¼ from
// 1; below, token 0 read 1 of itself, token 1 half of each.
TEST(Figures, AFlowPassesOnOneInEveryLayer) {
  Report report = testing::text_report();
  report.prediction.units.resize(2);
  report.attributions.resize(1);
  Attribution& result = report.attributions.front();
  result.answer = {};
  result.axes() = {Axis::Layer, Axis::Query, Axis::Key};
  result.scores() = Tensor::of({2, 2, 2}, std::vector<double>{5, 0, 1, 1, 3, 1, 0, 1}, DType::Float32);
  const std::string svg = drawn("flow", report, {.row = "0", .share = 1, .residual = 0});
  const auto edge = [&](const std::string& text) { return times(svg, text + "<"); };
  EXPECT_EQ(edge("layer 1: [CLS] reads [CLS]: 0.7500"), 1U);
  EXPECT_EQ(edge("layer 1: [CLS] reads not: 0.2500"), 1U);
  EXPECT_EQ(edge("layer 0: [CLS] reads [CLS]: 0.7500"), 1U);
  EXPECT_EQ(edge("layer 0: not reads [CLS]: 0.1250"), 1U);
  EXPECT_EQ(edge("layer 0: not reads not: 0.1250"), 1U);
  EXPECT_EQ(edge("[CLS]: 0.8750"), 1U) << "what arrived";
  const std::string kept = drawn("flow", report, {.row = "0", .share = 1});  // attention: half stays
  EXPECT_EQ(times(kept, "layer 1: [CLS] reads [CLS]: 0.8750<"), 1U);
  EXPECT_EQ(times(kept, "layer 0: not reads not: 0.0938<"), 1U) << "⅛ · ¾";
  EXPECT_EQ(times(drawn("flow", report, {.row = "0", .share = 0.7, .residual = 0}), " reads ") - 2, 2U)
      << "the strongest of each layer";
}

TEST(Figures, RefuseWhatAReportHasNot) {
  const Report text = testing::text_report(), image = testing::image_report();
  EXPECT_THROW(drawn("overlay", text), InputError);
  EXPECT_THROW(drawn("strip", image), InputError);
  EXPECT_THROW(drawn("matrix", text, {.layer = 2}), InputError);
  EXPECT_THROW(drawn("matrix", text, {.head = 2}), InputError);
  EXPECT_THROW(drawn("matrix", text, {.method = "chefer"}), InputError);
  EXPECT_THROW(drawn("matrix", text, {.map = "cross"}), InputError);
  EXPECT_THROW(drawn("heads", text, {.method = "attention_rollout"}), InputError);
  EXPECT_THROW(drawn("flow", text, {.method = "attention_rollout"}), InputError)
      << "goes through the layers already";
  EXPECT_THROW(drawn("flow", text, {.share = 0}), InputError);
  EXPECT_THROW(drawn("flow", text, {.residual = 1}), InputError);
}

}  // namespace
}  // namespace headwater
