#include "prose/terminal_scores.h"

#include <algorithm>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "result/rows.h"
#include "result/text_width.h"
#include "support/sample_report.h"
#include "support/text_search.h"

namespace headwater {
namespace {

using testing::has;

using Colour = TerminalFormat::Colour;

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string without_escapes(const std::string& text) {
  return std::regex_replace(text, std::regex("\x1b\\[[0-9;]*m"), "");
}

// A score per token, by a method that knows the class.
Attribution scores(const std::vector<double>& values) {
  return {.method = "integrated_gradients",
          .traits = {.of_target = true, .is_signed = true},
          .maps = {{.axes = {Axis::Units},
                    .values = Tensor::of({static_cast<Index>(values.size())}, values, DType::Float64)}}};
}

// word0 word1 … with one strong word for and one against.
Report long_report(std::size_t count) {
  Report report = testing::text_report();
  report.prediction.units.clear();
  report.text.clear();
  std::vector<double> values(count, 0.01);
  for (std::size_t t = 0; t < count; ++t) {
    const std::string word = "word" + std::to_string(t);
    if (t > 0) report.text += ' ';
    const auto begin = static_cast<Index>(report.text.size());
    report.text += word;
    report.prediction.units.push_back(
        {.text = word, .begin = begin, .end = begin + static_cast<Index>(word.size())});
  }
  values[17] = 2.5;
  values[count - 5] = -1.25;
  report.attributions = {scores(values)};
  return report;
}

TEST(TerminalScores, ALongTextRuns) {
  const Report report = long_report(320);
  for (const Colour colour : {Colour::None, Colour::Ansi256, Colour::TrueColour})
    for (const int width : {40, 80, 120}) {
      const std::string out =
          without_escapes(scores_view(report, report.attributions[0], {.colour = colour, .width = width}));
      const auto lines = lines_of(out);
      EXPECT_LT(lines.size(), 110U) << "not a line per token\n" << out;
      for (const std::string& line : lines) EXPECT_LE(text_width(line), width) << line;
      std::istringstream words(out);
      const std::set<std::string> whole{std::istream_iterator<std::string>(words), {}};
      for (const std::size_t t : {0U, 100U, 200U, 319U})
        EXPECT_EQ(whole.count("word" + std::to_string(t)), 1U) << "cut in a word\n" << out;
      EXPECT_TRUE(has(out, colour == Colour::None ? "{word17 +2.50}" : "word17 +2.50")) << out;
      EXPECT_TRUE(has(out, colour == Colour::None ? "{word315 -1.25}" : "word315 -1.25")) << out;
      EXPECT_EQ(has(out, "in braces the 2 strongest of 320 tokens"), colour == Colour::None && width > 40)
          << out;
    }
}

TEST(TerminalScores, SaysWhatTheSignMeans) {
  Report report = testing::text_report();
  report.attributions = {scores({0, 0.5, -0.25, 0.125, 0})};
  const auto view = [&](Colour colour) {
    std::string out =
        without_escapes(scores_view(report, report.attributions[0], {.colour = colour, .width = 120}));
    return out;
  };
  const std::string plain = view(Colour::None), painted = view(Colour::TrueColour);
  EXPECT_TRUE(has(plain, "how much each token counts for POSITIVE")) << plain;
  EXPECT_TRUE(has(plain, "█ counts for POSITIVE, ▒ against it")) << plain;
  EXPECT_TRUE(has(plain, "-0.2500  ▒")) << plain;
  EXPECT_TRUE(has(plain, "+0.5000  █")) << plain;
  EXPECT_FALSE(has(plain, "row ")) << "scores of tokens have no row\n" << plain;
  EXPECT_TRUE(has(painted, "-0.5000")) << "the scale's other end\n" << painted;
  EXPECT_TRUE(has(painted, "blue counts for POSITIVE, orange against it")) << painted;
  EXPECT_TRUE(has(painted, "not +0.50")) << painted;
  report.target.contrast = 0;
  report.target.contrast_label = "NEGATIVE";
  EXPECT_TRUE(has(view(Colour::None), "█ counts for POSITIVE, ▒ for NEGATIVE")) << view(Colour::None);
}

TEST(TerminalScores, AMapSaysThatItKnowsNoClass) {
  Report report = testing::text_report();
  const std::string out = scores_view(report, report.attributions[1], {});
  EXPECT_TRUE(has(out, "attention_rollout  row [CLS] of layer 1; same for every class")) << out;
  report.target = {};
  EXPECT_FALSE(has(scores_view(report, report.attributions[1], {}), "same for every class"));
}

TEST(TerminalScores, AnotherRowIsShown) {
  const Report report = testing::text_report();
  const Attribution& map = report.attributions[1];
  const std::string out = scores_view(report, map, {.row = 2});
  EXPECT_TRUE(has(out, "row bad of layer 1")) << out;
  const std::vector<double> weights = row_weights({}, map, 1, 2);
  const std::size_t first = out.find("\n  [CLS] ");
  ASSERT_NE(first, std::string::npos) << out;
  EXPECT_NEAR(std::stod(out.substr(first + 9)), weights[0], 5e-5) << out;
}

TEST(TerminalScores, NoScriptBreaksTheLines) {
  Report report = testing::text_report();
  report.text.clear();
  report.prediction.units.clear();
  std::vector<double> values;
  const std::vector<std::string> words{"これは長い日本語の文章",
                                       "한국어",
                                       "שלום",
                                       "مرحبا",
                                       "e\u0301te\u0301",
                                       "👩‍👩‍👧",
                                       "❤️",
                                       "ไทย",
                                       "\x1b[31m",
                                       std::string(130, 'x'),
                                       "a\tb\nc"};
  for (int round = 0; round < 6; ++round)
    for (const std::string& word : words) {
      const auto begin = static_cast<Index>(report.text.size());
      report.text += word + " ";
      report.prediction.units.push_back(
          {.text = word, .begin = begin, .end = begin + static_cast<Index>(word.size())});
      values.push_back(values.size() % 3 == 0 ? -0.75 : 0.5);
    }
  report.attributions = {scores(values)};
  for (const Colour colour : {Colour::None, Colour::Ansi256, Colour::TrueColour})
    for (const int width : {30, 40, 80, 120}) {
      const std::string out =
          without_escapes(scores_view(report, report.attributions[0], {.colour = colour, .width = width}));
      EXPECT_EQ(out.find('\x1b'), std::string::npos);
      for (const std::string& line : lines_of(out)) EXPECT_LE(text_width(line), width) << line;
    }
}

TEST(TerminalScores, NotesAndChecksWrapAtWords) {
  Report report = testing::text_report();
  Attribution& map = report.attributions[1];
  map.notes = {"A note of quite a few words that no line of forty columns could ever hold."};
  for (const std::string& line : lines_of(scores_view(report, map, {.width = 40})))
    EXPECT_LE(text_width(line), 40) << line;
  EXPECT_TRUE(
      has(scores_view(report, map, {.width = 40}), "\n  · A note of quite a few words that no\n    line"));
}

TEST(Focus, TheFirstLayerShownSaysMost) {
  Report report = testing::text_report();  // [CLS] not bad ! [SEP], the answer read at [CLS]
  const auto map = [&](const std::vector<std::vector<double>>& rows) {
    std::vector<double> all;
    for (const auto& row : rows)
      for (int q = 0; q < 5; ++q) all.insert(all.end(), row.begin(), row.end());
    return Attribution{
        .method = "value_zeroing",
        .traits = {.by_layer = true},
        .maps = {{.axes = {Axis::Layer, Axis::Query, Axis::Key},
                  .values = Tensor::of({static_cast<Index>(rows.size()), 5, 5}, all, DType::Float64)}}};
  };
  const std::vector<double> itself{1, 0, 0, 0, 0}, even(5, 0.2), words{0.1, 0.2, 0.6, 0.1, 0},
      sink{0, 0, 0.1, 0, 0.9};
  EXPECT_EQ(shown_layer(report, map({itself, words, even})), 1);
  EXPECT_EQ(shown_layer(report, map({words, sink, itself})), 0) << "[SEP] is no word";
  EXPECT_EQ(shown_layer(report, map({words, words, even})), 1) << "of equals the last";
  EXPECT_EQ(shown_layer(report, map({itself})), 0);
  Attribution carried = map({words, even});
  carried.traits.by_layer = false;
  EXPECT_EQ(shown_layer(report, carried), 1) << "taken through the layers, the last is the whole";
  EXPECT_EQ(shown_layer(report, scores({1, 2, 3, 4, 5})), 0);
  // Next to nothing, however clearly it is said, says less for a class than what most of it is about.
  std::vector<double> little;
  for (const double v : words) little.push_back(1e-6 * v);
  Attribution aimed = map({little, {0.1, 0.05, 0.1, 0.02, 0.3}});
  aimed.axes() = {Axis::Layer, Axis::Head, Axis::Query, Axis::Key};
  aimed.scores() = aimed.scores().reshaped({2, 1, 5, 5});
  EXPECT_EQ(shown_layer(report, aimed), 0) << "of what knows no class the shares alone count";
  aimed.traits.of_target = true;
  EXPECT_EQ(shown_layer(report, aimed), 1);
}

TEST(Focus, RowsHaveNames) {
  Report report = testing::text_report();
  EXPECT_EQ(row_named(report, "3"), 3);
  EXPECT_EQ(row_named(report, "bad"), 2);
  EXPECT_EQ(row_named(testing::causal_report(), "upon"), 1) << "without the token's own space";
  EXPECT_THROW(row_named(report, "5"), InputError);
  EXPECT_THROW(row_named(report, "-1"), InputError);
  EXPECT_THROW(row_named(report, "worse"), InputError);
  report.prediction.units[3].text = "bad";
  try {
    row_named(report, "bad");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "row: expected a token that stands once, found 'bad' at 2, 3; give a position");
  }
}

}  // namespace
}  // namespace headwater
