#include "drawing/figure.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <headwater/error.h>
#include <headwater/formats.h>

#include "support/sample_report.h"

namespace headwater {
namespace {

std::string drawn(const std::string& kind, const Report& report, const FigureOptions& options = {}) {
  for (const Figure& figure : figures())
    if (figure.name == kind) return figure.draw(report, options, "{}");
  throw InternalError("no figure " + kind);
}

// Attention without heads over the sample's first tokens, or more of one of them.
Report report_of_layers(Index layers, Index tokens, const std::vector<double>& weights) {
  Report report = testing::text_report();
  report.attributions.resize(1);
  report.prediction.units.resize(static_cast<std::size_t>(tokens), report.prediction.units[1]);
  Attribution& result = report.attributions.front();
  result.answer = {};
  result.axes() = {Axis::Layer, Axis::Query, Axis::Key};
  result.scores() = Tensor::of({layers, tokens, tokens}, weights, DType::Float32);
  return report;
}

std::size_t times(const std::string& svg, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = svg.find(what); at != std::string::npos; at = svg.find(what, at + 1)) ++found;
  return found;
}

// Attention beside a method that knows the class: each figure speaks of what it shows.
TEST(Figures, TheTitleIsThatOfTheResultShown) {
  Report report = testing::text_report();
  report.attributions.push_back(
      testing::stamped({.method = "integrated_gradients", .maps = {{.axes = {Axis::Units}}}}));
  report.attributions.back().scores() = Tensor::of({5}, std::vector<double>{0, 2, -1, 0, 0});
  const std::string because = "because of not +2.00", whole = sentence_of(report);
  ASSERT_TRUE(whole.find(because) != std::string::npos) << whole;
  for (const char* kind : {"grid", "matrix", "heads", "flow"}) {
    const std::string svg = drawn(kind, report);
    EXPECT_EQ(times(svg, because), 0U) << kind;
    EXPECT_GE(times(svg, "same for every class)"), 1U) << kind;
  }
  EXPECT_GE(times(drawn("strip", report), because), 1U) << "its rows are both";
  EXPECT_EQ(times(drawn("strip", report, {.method = name_of(report.attributions[0])}), because), 0U);
}

TEST(Figures, AGridHasEveryCellOfEveryLayer) {
  const Report report = testing::text_report();
  const std::string sentence = " reads ";  // the title has it too, twice
  EXPECT_EQ(times(drawn("grid", report), sentence) - 2, 2U * 5 * 5);
  EXPECT_EQ(times(drawn("matrix", report), sentence) - 2, 5U * 5 + 5) << "and the sums of its rows";
  EXPECT_EQ(times(drawn("matrix", report), " is read "), 5U) << "and of its columns";
  EXPECT_EQ(times(drawn("grid", report, {.all_heads = true}), sentence) - 2, 2U * 3 * 5 * 5);
  EXPECT_EQ(times(drawn("grid", report, {.layer = 1, .all_heads = true}), ">L1 H1: "), 5U * 5);
}

TEST(Figures, CellsHoldTheNumbersOfTheirLayerAndHead) {
  const Report report = testing::text_report();
  const Tensor& scores = report.attributions.front().scores();  // [2, 2, 5, 5]
  const std::string one = drawn("matrix", report, {.layer = 1, .head = 1});
  const double cell = scores.at(((1 * 2 + 1) * 5 + 2) * 5 + 3);
  EXPECT_EQ(times(one, fmt::format(">L1 H1: “bad” reads “!” {:.4f}<", cell)), 1U) << cell;
  const double mean = (scores.at(((1 * 2 + 0) * 5 + 2) * 5 + 3) + cell) / 2;
  EXPECT_EQ(times(drawn("matrix", report, {.layer = 1}),
                  fmt::format(">L1 mean of heads: “bad” reads “!” {:.4f}<", mean)),
            1U)
      << mean;
}

// Of a grid of all heads the names stand at the edge of the sheet: at each line's left and below the last
// one.
TEST(Figures, SmallPanelsHaveTheirWordsAtTheEdge) {
  const Report report = testing::text_report();  // 2 layers, 2 heads and their mean
  EXPECT_EQ(times(drawn("grid", report, {.all_heads = true}), ">bad</text>"), 2U + 3);
  EXPECT_EQ(times(drawn("grid", report_of_layers(2, 40, std::vector<double>(3200, 0.5))), ">not</text>"),
            2U * 2 * 36)  // panels, their sides, and the second token with the 35 that repeat it
      << "cells are made large enough for words";
}

TEST(Figures, AMatrixIsAsWideAsItsTitleNeeds) {
  Report report = testing::text_report();
  report.target.label = "a label of so many words that they need more room than a small matrix has";
  report.prediction.outcomes.front().top.front().label = report.target.label;
  const std::string title = sentence_of(report);
  ASSERT_GT(title.size(), 90U);
  for (const char* kind : {"matrix", "grid"})
    EXPECT_EQ(times(drawn(kind, report), fmt::format(">{}</text>", title)), 1U) << kind;
}

// Of several targets a row per method and a column for each; other pictures are none of it.
TEST(Figures, SeveralTargetsStandBesideEachOther) {
  Report cat = testing::image_report();
  Report dog = cat;
  dog.target.label = "dog";
  const std::vector<Report> both{cat, dog};
  const std::string svg = overlay_figure(both, "{}");
  EXPECT_EQ(times(svg, "<image "), 3 * cat.attributions.size());
  dog.picture = "another";
  EXPECT_THROW(overlay_figure(std::vector<Report>{cat, dog}, "{}"), InputError);
}

// In cells of 14 pixels, as 27 tokens have them, the page's short form.
TEST(Figures, NumbersInNarrowCellsKeepTheirDigits) {
  const Report report = report_of_layers(1, 27, std::vector<double>(729, 0.43));
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
  result.traits.of_target = false;
  EXPECT_EQ(times(drawn("overlay", report), ">every class, layer 0: 0.05 … 0.6<"), 1U);
  result.answer =
      Tensor::of({2, 5}, std::vector<double>{0.1, 0.0053, 0.027, 0.006, 0.006, 0.2, 0.2, 0.2, 0.2, 0.2});
  EXPECT_EQ(times(drawn("overlay", report, {.layer = 0}), ">every class, layer 0: 0.0053 … 0.027<"), 1U)
      << "the numbers are not cut";
}

TEST(Figures, ForbiddenCellsHaveNoNumber) {
  const std::string svg = drawn("matrix", testing::causal_report());
  EXPECT_EQ(times(svg, " masked<"), 3U);  // above the diagonal of three tokens
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
  const Report report = report_of_layers(2, 2, {5, 0, 1, 1, 3, 1, 0, 1});
  const std::string svg = drawn("flow", report, {.row = "0", .share = 1, .residual = 0});
  const auto edge = [&](const std::string& text) { return times(svg, text + "<"); };
  EXPECT_EQ(edge(">L1: “[CLS]” reads “[CLS]” 0.7500"), 1U);
  EXPECT_EQ(edge(">L1: “[CLS]” reads “not” 0.2500"), 1U);
  EXPECT_EQ(edge(">L0: “[CLS]” reads “[CLS]” 0.7500"), 1U);
  EXPECT_EQ(edge(">L0: “not” reads “[CLS]” 0.1250"), 1U);
  EXPECT_EQ(edge(">L0: “not” reads “not” 0.1250"), 1U);
  EXPECT_EQ(edge(">“[CLS]” gives 0.8750"), 1U) << "what arrived";
  const std::string kept = drawn("flow", report, {.row = "0", .share = 1});  // attention: half stays
  EXPECT_EQ(times(kept, ">L1: “[CLS]” reads “[CLS]” 0.8750<"), 1U);
  EXPECT_EQ(times(kept, ">L0: “not” reads “not” 0.0938<"), 1U) << "⅛ · ¾";
  EXPECT_EQ(times(drawn("flow", report, {.row = "0", .share = 0.7, .residual = 0}), " reads ") - 2, 2U)
      << "the strongest of each layer";
}

// Two tokens of a source and one of the output, a layer each, by hand: the output took ¼ from each of the
// source and ½ from itself; in the encoder the first read itself, the second half of each.
TEST(Figures, AFlowGoesThroughDecoderAndEncoder) {
  Report report = testing::text_report();
  report.prediction.units.resize(3);
  report.prediction.units[2].sequence = 1;
  report.prediction.sequences = {{.name = "source", .count = 2}, {.name = "prefix", .first = 2, .count = 1}};
  report.attributions.resize(1);
  Attribution& result = report.attributions.front();
  const auto map = [](const char* name, int reads, int read, std::vector<double> cells) {
    const Index keys = read == 0 ? 2 : 1, queries = static_cast<Index>(cells.size()) / keys;
    return Map{.name = name,
               .axes = {Axis::Layer, {Axis::Query, reads}, {Axis::Key, read}},
               .values = Tensor::of({1, queries, keys}, cells)};
  };
  result.maps = {map("encoder", 0, 0, {1, 0, .5, .5}), map("decoder", 1, 1, {.5}),
                 map("cross", 1, 0, {.25, .25})};
  const std::string svg = drawn("flow", report, {.row = "2", .share = 1, .residual = 0});
  for (const char* edge : {"decoder L0: “bad” reads “[CLS]” 0.2500", "decoder L0: “bad” reads “not” 0.2500",
                           "decoder L0: “bad” reads “bad” 0.5000", "encoder L0: “[CLS]” reads “[CLS]” 0.2500",
                           "encoder L0: “not” reads “[CLS]” 0.1250", "encoder L0: “not” reads “not” 0.1250",
                           "“[CLS]” gives 0.3750", "“not” gives 0.1250", "“bad” gives 0.5000"})
    EXPECT_EQ(times(svg, std::string(">") + edge + "<"), 1U) << edge;
  EXPECT_EQ(times(svg, "; 6 of 6 edges"), 1U);
}

// Two heads over two tokens: 0.9 and 0.8 are more than 0.4 of the 4 there are, 0.9 alone is not.
TEST(Figures, HeadsAreTheStrongestLinesOfAll) {
  Report report = testing::text_report();
  report.prediction.units.resize(2);
  report.prediction.sequences = {{.name = "text", .count = 2}};
  report.attributions.resize(1);
  Attribution& result = report.attributions.front();
  result.answer = {};
  result.scores() =
      Tensor::of({1, 2, 2, 2}, std::vector<double>{.9, .1, .4, .6, .2, -.8, .7, .3}, DType::Float64);
  const std::string svg = drawn("heads", report);
  EXPECT_EQ(times(svg, ">L0 H0: “[CLS]” reads “[CLS]” 0.9000<"), 1U);
  EXPECT_EQ(times(svg, ">L0 H1: “[CLS]” reads “not” −0.8000<"), 1U);
  EXPECT_EQ(times(svg, "<path "), 2U);
  EXPECT_EQ(times(svg, "2 of 8 lines, 40 % of the weight; dotted: negative"), 1U);
  EXPECT_EQ(times(drawn("heads", report, {.share = 1}), "<path "), 8U);
}

// By hand: the second method ranks the three the other way round. One token was measured by one method alone.
TEST(Figures, AStripSaysWhereMethodsDiffer) {
  Report report = testing::text_report();
  report.prediction.units.resize(4);
  report.attributions.clear();
  for (const std::vector<double>& scores : {std::vector<double>{1, -2, 3, NAN}, {3, 2, 1, NAN}, {1, 2, 3, 4}})
    report.attributions.push_back(
        {.method = "occlusion", .maps = {{.axes = {Axis::Units}, .values = Tensor::of({4}, scores)}}});
  const std::string svg = drawn("strip", report);
  EXPECT_EQ(times(svg, ">disagreement: "), 3U);
  for (const char* tip : {"“[CLS]” 1.0000", "“not” 0.1667", "“bad” 1.0000"})
    EXPECT_EQ(times(svg, std::string(">disagreement: ") + tip + "<"), 1U) << tip;
  report.attributions.pop_back();
  EXPECT_EQ(times(drawn("strip", report), "disagreement"), 0U) << "of two methods τ says it";
}

TEST(Figures, AStripBreaksNoWord) {
  Report report = testing::text_report();
  report.attributions.resize(1);
  report.text.clear();
  report.prediction.units.clear();
  for (int w = 0; w < 40; ++w)
    for (const std::string& piece : {fmt::format("beginning{}", w), fmt::format("end{}", w)}) {
      const auto at = static_cast<Index>(report.text.size());
      report.text += piece;
      report.prediction.units.push_back(
          {.text = piece, .begin = at, .end = static_cast<Index>(report.text.size()), .word = w});
      if (piece.front() == 'e') report.text += ' ';
    }
  report.attributions[0].maps = {
      {.axes = {Axis::Units}, .values = Tensor::of({80}, std::vector<double>(80, 1.0))}};
  const std::string svg = drawn("strip", report);
  const auto line_of = [&](const std::string& word) {
    const std::size_t begin = svg.rfind("<text ", svg.find(">" + word + "</text>"));
    return svg.substr(svg.find(" y=", begin), 12);
  };
  for (int w = 0; w < 40; ++w)
    EXPECT_EQ(line_of(fmt::format("beginning{}", w)), line_of(fmt::format("end{}", w))) << w;
  EXPECT_NE(line_of("beginning0"), line_of("end39")) << "there are several lines";
}

// One scale where no layer is blank on it, each its own otherwise, and as one wishes.
TEST(Figures, LayersHaveOneScaleUnlessOneWouldBeBlank) {
  const auto grid = [&](double second, std::optional<bool> shared) {
    return drawn("grid", report_of_layers(2, 1, {1, second}), {.shared = shared});
  };
  const std::string share = "as a share of each panel", darkest = "fill=\"#082e64\"><title>";
  EXPECT_EQ(times(grid(0.6, {}), share), 0U);
  EXPECT_EQ(times(grid(0.6, {}), darkest), 1U);
  EXPECT_EQ(times(grid(0.4, {}), share), 1U);
  EXPECT_EQ(times(grid(0.4, {}), darkest), 2U);
  EXPECT_EQ(times(grid(0.4, true), share), 0U);
  EXPECT_EQ(times(grid(0.6, false), share), 1U);
}

TEST(Figures, VeryManyCellsAreAnImage) {
  const Report report = report_of_layers(1, 129, std::vector<double>(std::size_t{129} * 129, 0.5));
  const std::string svg = drawn("matrix", report);
  EXPECT_EQ(times(svg, "image-rendering=\"pixelated\""), 1U);
  EXPECT_EQ(times(svg, "<rect ") - times(svg, " in all<"), 1U + 24) << "the ground and the legend";
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
