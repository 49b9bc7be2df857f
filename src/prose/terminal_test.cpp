#include <cmath>
#include <cstdlib>
#include <regex>
#include <sstream>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <headwater/formats.h>
#include <unistd.h>

#include "drawing/colours.h"
#include "result/rows.h"
#include "result/text_width.h"
#include "support/sample_report.h"

namespace headwater {
namespace {

using Colour = TerminalFormat::Colour;

TEST(TextWidth, CountsColumns) {
  EXPECT_EQ(text_width("abc"), 3);
  EXPECT_EQ(text_width("日本"), 4);
  EXPECT_EQ(text_width("e\u0301"), 1) << "a combining accent takes no column";
  EXPECT_EQ(text_width("👩‍👩‍👧"), 2) << "joined emoji are one picture";
  EXPECT_EQ(text_width("❤️"), 2) << "emoji presentation";
  EXPECT_EQ(text_width(""), 0);
}

TEST(TextWidth, NothingSteersTheTerminal) {
  EXPECT_EQ(terminal_safe("a\x1b[31m\nb"), "a␛[31m␊b");
  EXPECT_EQ(terminal_safe("\x7f\u202e\u0085"), "␡\uFFFD\uFFFD");
  EXPECT_EQ(terminal_safe("a\xff"
                          "b\xc3"),
            "a\uFFFDb\uFFFD");
}

TEST(TextWidth, FitsToColumns) {
  EXPECT_EQ(fitted("ab", 4), "ab  ");
  EXPECT_EQ(fitted("abcdef", 4), "abc…");
  EXPECT_EQ(fitted("日本語", 4), "日… ");
}

TEST(Colours, TextKeepsItsContrastOnEveryShade) {
  for (int i = -1000; i <= 1000; ++i) {
    const Rgb back = colour_of(i / 1000.0);
    EXPECT_GE(contrast(text_on(back), back), 4.5) << i;
  }
  EXPECT_NEAR(contrast({0, 0, 0}, {255, 255, 255}), 21, 1e-9);
  EXPECT_GT(luminance(colour_of(0)), luminance(colour_of(1)));
  EXPECT_EQ(colour_of(-2).r, colour_of(-1).r);
  EXPECT_GT(colour_of(-1).r, colour_of(-1).b) << "orange counts against";
  EXPECT_EQ(colour_of(2).r, colour_of(1).r);
}

TEST(Focus, IsTheRowTheAnswerWasReadFrom) {
  EXPECT_EQ(row_to_show(testing::text_report()), 0);
  EXPECT_EQ(row_to_show(testing::causal_report()), 2);
  Report causal = testing::causal_report();
  causal.target.position = -1;
  EXPECT_EQ(row_to_show(causal), 2) << "a causal classifier reads the last token";
}

TEST(Focus, AveragesHeads) {
  const Report report = testing::text_report();
  const Tensor& scores = report.attributions[0].scores();
  const auto weights = row_weights(report, report.attributions[0], 1, 2);
  for (Index j = 0; j < 5; ++j)
    EXPECT_NEAR(weights[static_cast<std::size_t>(j)], (scores.at(50 + 10 + j) + scores.at(75 + 10 + j)) / 2,
                1e-12);
  EXPECT_EQ(layer_count(report.attributions[1]), 2);
}

TEST(Terminal, PlainTextHasNoEscapesAndTheNumbersBesideTheTokens) {
  const std::string out = to_terminal(testing::text_report(), {.width = 60});
  EXPECT_EQ(out.find('\x1b'), std::string::npos);
  EXPECT_NE(out.find("POSITIVE  0.9000"), std::string::npos) << out;
  EXPECT_NE(out.find("attention_rollout"), std::string::npos);
  EXPECT_NE(out.find("✓ rows sum to 1"), std::string::npos);
  EXPECT_NE(out.find("✗ rows sum to 1"), std::string::npos);
  EXPECT_NE(out.find("L1"), std::string::npos);
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(text_width(line), 90) << line;
}

TEST(Terminal, ColoursTheOriginalText) {
  const std::string out = to_terminal(testing::text_report(), {.colour = Colour::TrueColour, .width = 60});
  EXPECT_NE(out.find("\x1b[48;2;"), std::string::npos);
  // "bad" and "!" stand together, as they did in the text.
  EXPECT_TRUE(std::regex_search(out, std::regex("mbad( [0-9.]+)?\x1b\\[0m\x1b\\[48;2;"))) << out;
  EXPECT_TRUE(std::regex_search(out, std::regex("mnot( [0-9.]+)?\x1b\\[0m \x1b\\[48;2;"))) << out;
  const std::string indexed = to_terminal(testing::text_report(), {.colour = Colour::Ansi256, .width = 60});
  EXPECT_NE(indexed.find("\x1b[48;5;"), std::string::npos);
  EXPECT_EQ(indexed.find("48;2;"), std::string::npos);
}

TEST(Terminal, SaysWhatExceedsTheScaleAndTrimsLists) {
  Report report = testing::causal_report();
  report.attributions.resize(1);
  report.attributions[0].scores() = Tensor::full({1, 3, 3}, DType::Float32, 0.25);
  report.attributions[0].axes() = {Axis::Layer, Axis::Query, Axis::Key};
  report.attributions[0].scores().data<float>()[6] = 0.5F;
  report.prediction.units[0].special = true;  // beyond the strongest word
  const std::string out = to_terminal(report);
  EXPECT_NE(out.find("scale 0 … 0.2500 (strongest"), std::string::npos) << out;
  EXPECT_NE(out.find("█▶"), std::string::npos) << out;
  EXPECT_NE(out.find("\n  upon"), std::string::npos) << "without the token's own space\n" << out;
}

TEST(Terminal, SmallAndLargeScoresShowFourFigures) {
  Report report = testing::text_report();
  const auto shown = [&](double largest) {
    std::vector<double> scores(report.prediction.units.size(), 0.25 * largest);
    scores[1] = largest;
    const auto T = static_cast<Index>(scores.size());
    report.attributions = {
        {.method = "m",
         .maps = {{.axes = {Axis::Units}, .values = Tensor::of({T}, scores, DType::Float64)}}}};
    return to_terminal(report, {.width = 60});
  };
  EXPECT_NE(shown(0.0008244).find("  0.0008244  "), std::string::npos);
  EXPECT_NE(shown(0.0008244).find("  0.0002061  "), std::string::npos);
  EXPECT_NE(shown(0.5).find("  0.1250  "), std::string::npos);
  EXPECT_NE(shown(4837.96).find("  1209.5  "), std::string::npos);
  EXPECT_EQ(shown(0.5).find("of layer"), std::string::npos) << "scores of tokens have no layer";
}

TEST(Terminal, HostileTokensCannotSteerIt) {
  Report report = testing::text_report();
  report.prediction.units[1].text = "\x1b]0;owned\x07";
  report.prediction.outcomes[0].top[0].label = "\x1b[2J";
  EXPECT_EQ(to_terminal(report).find('\x1b'), std::string::npos);
}

TEST(Terminal, ImagesAreAGrid) {
  const std::string plain = to_terminal(testing::image_report());
  EXPECT_NE(plain.find("██"), std::string::npos) << plain;
  EXPECT_NE(plain.find("strongest by layer (row, column)"), std::string::npos) << plain;
  EXPECT_NE(plain.find("  (1, 0)  "), std::string::npos) << plain;
  const std::string coloured = to_terminal(testing::image_report(), {.colour = Colour::TrueColour});
  EXPECT_NE(coloured.find("m  \x1b[0m"), std::string::npos);
}

TEST(Terminal, OtherTasksAndTargets) {
  Report report = testing::causal_report();
  report.target.contrast = 17;
  report.target.contrast_label = " day";
  report.prediction.continuation = " time\nthere";
  report.prediction.truncated = true;
  const std::string out = to_terminal(report);
  EXPECT_NE(out.find("logit difference"), std::string::npos);
  EXPECT_NE(out.find(" time␊there"), std::string::npos);
  EXPECT_NE(out.find("cut to the model's limit"), std::string::npos);
  EXPECT_NE(to_terminal(Prediction{.answer = Span{"bad", 0, 0, 0.5}}).find("bad  0.5000"), std::string::npos);
  Prediction score;
  score.outcomes = {{.top = {{"score", 0, std::nan(""), 3.5}}}};
  EXPECT_NE(to_terminal(score).find("score 3.5000"), std::string::npos);
}

TEST(Terminal, AFileIsPlain) {
  const int null = open("/dev/null", O_WRONLY);
  EXPECT_EQ(terminal_format(null).colour, Colour::None);
  setenv("COLUMNS", "123", 1);
  EXPECT_EQ(terminal_format(null).width, 123);
  setenv("COLUMNS", "9999999", 1);
  EXPECT_EQ(terminal_format(null).width, 400);
  unsetenv("COLUMNS");
  close(null);
}

// On a screen: what passed is counted, the sentence comes last; what failed is said in full.
TEST(Terminal, ABriefReportEndsWithTheSentence) {
  Report report = testing::text_report();
  const std::string sentence = sentence_of(report);
  for (Attribution& result : report.attributions) {
    result.checks = {{.name = "rows sum to 1", .passed = true, .value = 1e-8, .bound = 1e-6}};
    result.notes = {"a note", "another"};
  }
  const TerminalFormat screen{.width = 400, .brief = true};
  const std::string brief = to_terminal(report, screen);
  EXPECT_TRUE(brief.ends_with(sentence + "\n")) << brief;
  EXPECT_NE(brief.find("✓ 1 check passed, 2 notes (--details)"), std::string::npos) << brief;
  EXPECT_EQ(brief.find("a note"), std::string::npos);
  report.attributions.front().accounted = {.sum = 0.02, .of = -1.75, .what = "the target's logit"};
  report.attributions.back().accounted = {.sum = 2.01, .of = 2, .what = "the change of F from the baseline"};
  const std::string told = to_terminal(report, screen);
  EXPECT_NE(told.find("The scores add up to 0.02 of the target's logit of -1.75: -1.1 %."), std::string::npos)
      << told;
  EXPECT_EQ(told.find("the change of F"), std::string::npos) << "the check that passed says it";
  report.attributions.front().checks.front().passed = false;
  const std::string failed = to_terminal(report, screen);
  EXPECT_NE(failed.find("✗ rows sum to 1"), std::string::npos);
  EXPECT_NE(failed.find("a note"), std::string::npos);
  EXPECT_TRUE(to_terminal(report, {.width = 400}).starts_with(sentence));
}

}  // namespace
}  // namespace headwater
