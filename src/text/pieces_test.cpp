#include "text/pieces.h"

#include <gtest/gtest.h>

namespace headwater {
namespace {

// "the-final--countdown" cut at "-": the example by which the behaviours are documented.
std::vector<std::string> cut(SplitBehavior behavior) {
  Pieces pieces;
  pieces.buffer = aligned("the-final--countdown");
  pieces.list = {{0, pieces.buffer.text.size()}};
  pieces.split(behavior, [](std::string_view text) { return split_literal(text, "-"); });
  std::vector<std::string> views;
  for (const Piece& piece : pieces.list) views.emplace_back(pieces.view(piece));
  return views;
}

using Words = std::vector<std::string>;

TEST(Pieces, AreCutByBehavior) {
  EXPECT_EQ(cut(SplitBehavior::Removed), (Words{"the", "final", "countdown"}));
  EXPECT_EQ(cut(SplitBehavior::Isolated), (Words{"the", "-", "final", "-", "-", "countdown"}));
  EXPECT_EQ(cut(SplitBehavior::MergedWithPrevious), (Words{"the-", "final-", "-", "countdown"}));
  EXPECT_EQ(cut(SplitBehavior::MergedWithNext), (Words{"the", "-final", "-", "-countdown"}));
  EXPECT_EQ(cut(SplitBehavior::Contiguous), (Words{"the", "-", "final", "--", "countdown"}));
}

TEST(Pieces, LeaveAddedTokensWhole) {
  Pieces pieces;
  pieces.buffer = aligned("a-b");
  pieces.list = {{0, 3, 7}};
  pieces.split(SplitBehavior::Removed, [](std::string_view text) { return split_literal(text, "-"); });
  pieces.rewrite([](const Piece&, AlignedText&) { FAIL(); });
  ASSERT_EQ(pieces.list.size(), 1U);
  EXPECT_EQ(pieces.view(pieces.list[0]), "a-b");
}

TEST(Pieces, ThatBecomeEmptyAreGone) {
  Pieces pieces;
  pieces.buffer = aligned("ab");
  pieces.list = {{0, 1}, {1, 2}};
  pieces.rewrite([&](const Piece& piece, AlignedText& out) {
    if (piece.begin == 1) out.append(pieces.buffer, 1, 2);
  });
  ASSERT_EQ(pieces.list.size(), 1U);
  EXPECT_EQ(pieces.view(pieces.list[0]), "b");
  EXPECT_EQ(pieces.buffer.spans, (std::vector<ByteSpan>{{1, 2}}));
}

}  // namespace
}  // namespace headwater
