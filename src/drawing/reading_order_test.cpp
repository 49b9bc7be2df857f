#include "drawing/reading_order.h"

#include <gtest/gtest.h>

namespace headwater {
namespace {

using Pieces = std::vector<std::string>;

// As it stands on the line from the left; `|` in front where the line runs from the right.
std::string shown(const Pieces& pieces) {
  const ReadingLevels levels = reading_levels(pieces);
  std::string out = levels.right ? "|" : "";
  for (const std::size_t at : visual_order(levels.levels)) out += pieces[at];
  return out;
}

// Worked out by hand from UAX #9.
TEST(ReadingOrder, OfWordsFromTheRight) {
  EXPECT_EQ(shown({"a", " ", "b", " ", "c"}), "a b c");
  EXPECT_EQ(shown({"א", " ", "ב", " ", "ג"}), "|ג ב א");
  EXPECT_EQ(shown({"هذا", " ", "فيلم"}), "|فيلم هذا");
  EXPECT_EQ(shown({"", " ", "א", " ", "ב"}), "|ב א ") << "a piece of neither side comes first, at the right";
}

TEST(ReadingOrder, OfLatinWordsAmongThem) {
  EXPECT_EQ(shown({"א", " ", "good", " ", "film", " ", "ב"}), "|ב good film א");
  EXPECT_EQ(shown({"good", " ", "א", " ", "ב", " ", "film"}), "good ב א film");
  EXPECT_EQ(shown({"א", "!", " ", "good"}), "|good !א");
}

TEST(ReadingOrder, OfNumbers) {
  EXPECT_EQ(shown({"10", " ", "א", " ", "20"}), "|20 א 10") << "digits decide no line";
  EXPECT_EQ(shown({"א", " ", "3", ".", "5", " ", "ב"}), "|ב 3.5 א");
  EXPECT_EQ(shown({"א", " ", "10", "%"}), "|10% א");
  EXPECT_EQ(shown({"هذا", " ", "10", "%"}), "|%10 هذا") << "digits among Arabic words";
  EXPECT_EQ(shown({"film", " ", "א", " ", "10", " ", "b"}), "film 10 א b");
  EXPECT_EQ(shown({"film", " ", "10", " ", "א"}), "film 10 א");
}

TEST(ReadingOrder, SentencesStayReadFromTheLeft) {
  EXPECT_EQ(read_from_left("good +1, bad −1"), "good +1, bad −1");
  EXPECT_EQ(read_from_left("טוב"), "טוב");
  EXPECT_EQ(read_from_left("because of טוב +1, רע מאוד −1"), "because of טוב\u200e +1, רע מאוד\u200e −1");
  EXPECT_EQ(read_from_left("“טוב” reads"), "\u200e“טוב\u200e” reads");
}

}  // namespace
}  // namespace headwater
