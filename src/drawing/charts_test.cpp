#include "drawing/charts.h"

#include <cmath>

#include <gtest/gtest.h>

#include "drawing/chart.h"
#include "files/record_json.h"
#include "files/schema.h"
#include "prose/provenance.h"
#include "result/many_inputs.h"
#include "support/text_search.h"

namespace headwater {
namespace {

using testing::count;
using testing::has;

TEST(Svg, ATurnedTextOfWideLettersStandsUpright) {
  Svg svg(100, 100, "");
  svg.text({50, 60}, "电影", {.anchor = TextStyle::Anchor::End, .size = 10, .upwards = true});
  svg.text({70, 60}, "film", {.anchor = TextStyle::Anchor::End, .size = 10, .upwards = true});
  const std::string drawn = svg.str("");
  const std::size_t first = drawn.find(">电</text>"), second = drawn.find(">影</text>");
  EXPECT_LT(first, second) << "one below another";
  EXPECT_NE(second, std::string::npos);
  EXPECT_EQ(drawn.find("rotate"), drawn.rfind("rotate")) << "only the Latin word is turned";
  EXPECT_NE(drawn.find("rotate(-90 70 60)"), std::string::npos);
}

TEST(Xml, TakesAnyText) {
  EXPECT_EQ(xml_text("a < b & c"), "a &lt; b &amp; c");
  const std::string odd = xml_text(std::string("a\x01\xEF\xBF\xBF\xFF\n") + '\0');
  for (const char c : odd) EXPECT_GE(static_cast<unsigned char>(c), 0x20) << odd;
  EXPECT_FALSE(has(odd, "\xEF\xBF\xBF")) << "U+FFFF is no character of XML";
}

TEST(Xml, CutsTextsToTheirRoom) {
  EXPECT_EQ(cut_to_width("short", 12, 100), "short");
  const std::string cut = cut_to_width("a text that is much too long for its room", 12, 100);
  EXPECT_LE(drawn_width(cut, 12), 100);
  EXPECT_TRUE(has(cut, "…"));
}

TEST(Sheet, SetsALongTitleSmallerBeforeItIsCut) {
  const std::string title(50, 'x');
  const auto drawn = [&](double room) {
    Svg svg(600, 40, "");
    draw_in_room(svg, {0, 20}, title, {.size = 15}, room);
    return svg.str("");
  };
  EXPECT_TRUE(has(drawn(drawn_width(title, 15)), "font-size=\"15\""));
  const std::string smaller = drawn(drawn_width(title, 12));
  EXPECT_TRUE(has(smaller, "font-size=\"12\"") && has(smaller, title)) << smaller;
  const std::string cut = drawn(drawn_width(title, 6));
  EXPECT_TRUE(has(cut, "…") && has(cut, "font-size=\"10\"")) << cut;
}

TEST(RoundAxis, TakesRoundStepsThatCoverTheRange) {
  const ChartAxis hundred = round_axis("x", 0, 100, 10, " %");
  EXPECT_EQ(hundred.ticks.size(), 11U);
  EXPECT_EQ(hundred.names.back(), "100 %");
  const ChartAxis some = round_axis("x", 51.7, 89.7, 8);
  EXPECT_EQ(some.ticks.front(), 50);
  EXPECT_EQ(some.ticks.back(), 90);
  EXPECT_EQ(some.ticks[1], 55);
  const ChartAxis small = round_axis("x", 0.013, 0.031, 4);
  EXPECT_EQ(small.names.front(), "0.010");
  EXPECT_GE(round_axis("x", 3, 3, 5).ticks.size(), 2U) << "no range is no reason to divide by 0";
  EXPECT_GE(round_axis("x", -7, 12, 5).ticks.back(), 12);
  EXPECT_LE(round_axis("x", -7, 12, 5).ticks.front(), -7);
}

TEST(Plot, PutsValuesWhereTheirTicksAre) {
  Svg svg(200, 200, "t");
  const Plot plot(svg, {50, 10, 100, 100}, {.label = "x", .ticks = {0, 1, 2}, .names = {"0", "1", "2"}},
                  {.label = "y", .ticks = {0, 10}, .names = {"0", "10"}});
  EXPECT_EQ(plot.at(0, 0).x, 50);
  EXPECT_EQ(plot.at(2, 0).x, 150);
  EXPECT_EQ(plot.at(0, 10).y, 10) << "upwards";
  EXPECT_EQ(plot.at(0, 5).y, 60);
}

TEST(SeriesColours, StayApart) {
  for (std::size_t a = 0; a < 10; ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const Rgb x = series_colour(a), y = series_colour(b);
      EXPECT_GT(std::abs(x.r - y.r) + std::abs(x.g - y.g) + std::abs(x.b - y.b), 80) << a << " " << b;
    }
  for (std::size_t a = 0; a < 10; ++a)
    EXPECT_GT(contrast(series_colour(a), {255, 255, 255}), 2) << "seen on white";
}

HeadImportance ranked(const std::string& ranking, std::vector<double> scores) {
  return {.ranking = ranking, .layers = 2, .heads = 2, .inputs = 7, .scores = std::move(scores)};
}

TEST(HeadsSvg, HasANumberInEveryCell) {
  const std::vector<HeadImportance> rankings{ranked("attention", {.5, .25, .125, 1}),
                                             ranked("accuracy_difference", {-.02, .01, 0, .005})};
  const std::string svg = heads_svg(rankings, "{}");
  for (const char* part : {">attention<", ">0.50<", ">0.25<", ">1.00<", ">L1<", ">H1<", ">layer<", ">head<",
                           "over 7 inputs", "<title>L1 H1: 1.0000</title>", "<title>L0 H0: −0.0200</title>"})
    EXPECT_TRUE(has(svg, part)) << part;
  EXPECT_EQ(count(svg, "the model is better without the head"), 1U) << "only where there is a sign";
}

TEST(HeadsSvg, ShowsSmallNumbersInUnits) {
  const std::vector<HeadImportance> rankings{ranked("taylor", {2.5e-5, 1e-5, 0, 4e-6})};
  const std::string svg = heads_svg(rankings, "{}");
  EXPECT_TRUE(has(svg, ">2.50<") && has(svg, "numbers in units of 1e-05")) << svg;
  const std::vector<HeadImportance> none{ranked("taylor", {0, 0, 0, 0})};
  EXPECT_FALSE(has(heads_svg(none, "{}"), "nan"));
}

PruningReport pruned() {
  PruningReport report{.inputs = 9};
  for (const char* scope : {"global", "layer"})
    for (const char* order : {"least", "most"})
      report.curves.push_back({.ranking = "attattr",
                               .scope = scope,
                               .order = order,
                               .rates = {0, .5, 1},
                               .accuracy = {.9, .8, .5}});
  report.curves.push_back({.ranking = "random",
                           .scope = "global",
                           .order = "random",
                           .rates = {0, .5, 1},
                           .accuracy = {.9, .7, .5},
                           .lowest = {.9, .6, .5},
                           .highest = {.9, .75, .5}});
  return report;
}

TEST(PruningSvg, HasAFieldPerScopeAndOrderAndABandForChance) {
  const std::string svg = pruning_svg(pruned(), "{}");
  EXPECT_EQ(count(svg, ">accuracy<"), 4U);
  EXPECT_EQ(count(svg, ">heads removed<"), 4U);
  EXPECT_EQ(count(svg, "<polyline"), 8U) << "a line of the ranking and the random one in each";
  EXPECT_EQ(count(svg, ">attattr<"), 1U) << "one legend";
  EXPECT_EQ(count(svg, "lowest … highest"), 1U);
  EXPECT_TRUE(has(svg, "9 inputs"));
}

TEST(TriggersSvg, HasABarPerLabelAndSaysWhereThereIsNone) {
  TriggerReport report{
      .labels = {"bad", "good", "so <so>"}, .inputs = {4, 5, 0}, .accuracy = {1, .8, NAN}, .triggers = {}};
  report.triggers.push_back({.label = "good",
                             .source = "s",
                             .tokens = {{.text = "best"}, {.text = "ever"}},
                             .strength = .5,
                             .accuracy = {.25, 1, NAN}});
  const std::string svg = triggers_svg(report, "{}");
  for (const char* part : {">no trigger<", ">best … ever<", ">25.0<", ">80.0<", "gold label so &lt;so&gt; (0",
                           "bad: 25.00 % of 4"})
    EXPECT_TRUE(has(svg, part)) << part;
  EXPECT_EQ(count(svg, ">no inputs<"), 2U);
}

IdentifyReport identified() {
  IdentifyReport report{.tested_texts = 3, .tested_tokens = 20, .states = {0, 1}};
  report.chance = {.id = .125, .position = .1, .content_id = .2, .content_position = .15};
  for (const bool control : {false, true})
    for (const int state : {0, 1}) {
      IdentifyCell cell{.control = control, .trained_on = state, .state = state};
      cell.rates.id = {.rate = .9, .low = .8, .high = .95};
      cell.rates.position = {.rate = NAN, .low = NAN, .high = NAN};
      report.cells.push_back(cell);
    }
  report.cells.push_back({.trained_on = 0, .state = 1});  // across: not of this picture
  return report;
}

TEST(IdentifySvg, HasTheControlAndChance) {
  const std::string svg = identify_svg(identified(), MatchRule::Id, "{}");
  for (const char* part :
       {">naive cosine<", ">naive cosine, untrained model<", ">chance<", ">all tokens<",
        ">without special tokens<", "by id; candidates: the same text", "20 tested tokens of 3 texts"})
    EXPECT_EQ(count(svg, part), 1U) << part;
  EXPECT_EQ(count(svg, "<polyline"), 6U);
  const std::string gaps = identify_svg(identified(), MatchRule::Position, "{}");
  EXPECT_FALSE(has(gaps, "nan")) << "what was not measured is not drawn";
}

TEST(IdentifySvg, HasRoomForOneState) {
  IdentifyReport report = identified();
  report.states = {1};
  std::erase_if(report.cells, [](const IdentifyCell& cell) { return cell.state != 1; });
  const std::string svg = identify_svg(report, MatchRule::Id, "{}");
  EXPECT_FALSE(has(svg, "nan") || has(svg, "inf"));
  EXPECT_EQ(count(svg, "<polyline"), 2U) << "chance goes across";
  EXPECT_EQ(count(svg, ">1</text>"), 2U);
}

TEST(TreeSvg, NamesTokensAndTheirStreams) {
  const Tree tree{.root = 1, .edges = {{1, 2, 2, .9}, {2, 3, 1, .8}, {1, 0, 0, .6}}, .kept = 2};
  Report report;
  report.model.last().layers = 4;
  report.target.label = "good";
  const std::string svg = tree_svg({tree, report, {"[CLS]", "not", "<bad>", "[SEP]"}, {}, "again"});
  EXPECT_TRUE(has(svg, "&lt;bad&gt;") && !has(svg, "<bad>"));
  EXPECT_EQ(count(svg, "dasharray"), 4U) << "every token of the tree has its stream";
  EXPECT_TRUE(has(svg, "&quot;command&quot;:&quot;again&quot;}</metadata>")) << svg.substr(0, 400);
  EXPECT_TRUE(has(svg, ">what the prediction rests on: good<"));
  EXPECT_FALSE(has(svg, "counts against")) << "nothing does";
}

TEST(TreeSvg, SaysWhatCountsAgainst) {
  const Tree tree{.root = 0, .edges = {{0, 1, 1, .9}, {0, 2, 1, -.3}}, .kept = 2};
  Report report;
  report.model.last().layers = 2;
  const std::string svg = tree_svg({tree, report, {"[CLS]", "not", "bad"}, {}, "again"});
  EXPECT_EQ(count(svg, "stroke-dasharray=\"5 3\""), 1U);
  EXPECT_TRUE(has(svg, "the widest line is 0.9; orange, dashed, counts against")) << svg;
}

TEST(Provenance, ShowsChecksRecordAndCommand) {
  const std::vector<Check> checks{{.name = "rows sum to 1", .passed = true, .value = 1e-7, .bound = 1e-5},
                                  {.name = "same", .passed = false, .value = 2, .bound = 0}};
  EXPECT_EQ(checks_text(checks, {"a note"}, {}),
            "  ✓ rows sum to 1 (1.0e-07, bound 1.0e-05)\n  ✗ same (2.0e+00, bound 0.0e+00)\n  · a note\n");
  RunRecord record;
  record.version = "1.2.3";
  record.model = "m";
  record.dtype = "float32";
  record.threads = 2;
  record.weights_sha256 = std::string(64, 'a');
  EXPECT_EQ(record_text(record, {}, "headwater heads -m m"),
            "\n  headwater 1.2.3 · m · float32 · 2 threads · weights aaaaaaaaaaaa\n"
            "  again: headwater heads -m m\n");
  const OrderedJson json = OrderedJson::parse(provenance_json(checks, record, "c"));
  EXPECT_EQ(json["checks"].size(), 2U);
  EXPECT_EQ(json["record"]["version"], "1.2.3");
  EXPECT_EQ(json["command"], "c");
}

}  // namespace
}  // namespace headwater
