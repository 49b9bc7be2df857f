#include "result/running_text.h"

#include <gtest/gtest.h>

#include "result/text_width.h"

namespace headwater {
namespace {

using Before = TextPiece::Before;

// Tokens of these words, found one after the other in the text.
Report written(const std::string& text, const std::vector<std::string>& words) {
  Report report{.text = text};
  std::size_t at = 0;
  for (const std::string& word : words) {
    const std::size_t begin = text.find(word, at);
    at = begin + word.size();
    report.prediction.units.push_back(
        {.text = word, .begin = static_cast<Index>(begin), .end = static_cast<Index>(at)});
  }
  return report;
}

std::string lines_of(const Report& report, int width) {
  std::vector<PrintedPiece> printed;
  for (const TextPiece& piece : pieces_of(report))
    printed.push_back({piece.before, piece.text, text_width(piece.text)});
  return running_lines(printed, width);
}

TEST(RunningText, KeepsWhatTheOriginalHasBetweenTokens) {
  Report report = written("un able,\n\nso", {"un", " able", ",", "so"});
  const std::vector<TextPiece> pieces = pieces_of(report);
  ASSERT_EQ(pieces.size(), 4U);
  EXPECT_EQ(pieces[1].before, Before::Space) << "a token's own space";
  EXPECT_EQ(pieces[1].text, "able");
  EXPECT_EQ(pieces[2].before, Before::Nothing);
  EXPECT_EQ(pieces[3].before, Before::Line);
  EXPECT_EQ(lines_of(report, 80), "  un able,\n  so\n");
}

TEST(RunningText, AnotherSequenceAndANewlineTokenBeginALine) {
  Report report = written("a\nb", {"a", "\n", "b"});
  EXPECT_EQ(lines_of(report, 80), "  a␊\n  b\n");
  report = written("a b", {"a", "b"});
  report.pair = "a b";
  report.prediction.units[1].segment = 1;
  EXPECT_EQ(lines_of(report, 80), "  a\n  b\n");
}

TEST(RunningText, WrapsBetweenWordsAndNotBetweenTheTokensOfOne) {
  const Report report = written("good un believ able end", {"good", "un", "believ", "able", "end"});
  Report joined = written("good unbelievable end", {"good", "un", "believ", "able", "end"});
  EXPECT_EQ(lines_of(joined, 16), "  good\n  unbelievable\n  end\n");
  EXPECT_EQ(lines_of(report, 16), "  good un believ\n  able end\n");
}

TEST(RunningText, AWordLongerThanALineBreaksBetweenItsTokens) {
  const Report report = written("これは長い文章です", {"これ", "は", "長い", "文章", "です"});
  EXPECT_EQ(lines_of(report, 12), "  これは長い\n  文章です\n");
}

TEST(Paragraph, BreaksBetweenWordsAndHangs) {
  EXPECT_EQ(paragraph("one two three", {.first = 2, .rest = 4, .width = 12}), "  one two\n    three\n");
  EXPECT_EQ(paragraph("one", {}), "one\n");
  EXPECT_EQ(paragraph("", {.first = 1}), " \n");
  EXPECT_EQ(paragraph("ab  cd", {.width = 9}), "ab  cd\n") << "spaces within a line stay";
  EXPECT_EQ(paragraph("abcdefghij k", {.first = 0, .rest = 1, .width = 5}), "abcd\n efgh\n ij k\n");
}

TEST(CutToColumns, CutsBetweenCharacters) {
  EXPECT_EQ(cut_to_columns("日本語", 4), (std::vector<std::string>{"日本", "語"}));
  EXPECT_EQ(cut_to_columns("e\u0301e\u0301", 1), (std::vector<std::string>{"e\u0301", "e\u0301"}));
  EXPECT_TRUE(cut_to_columns("", 4).empty());
}

}  // namespace
}  // namespace headwater
