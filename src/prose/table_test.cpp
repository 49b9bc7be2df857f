#include "prose/table.h"

#include <gtest/gtest.h>

#include "result/text_width.h"

namespace headwater {
namespace {

TEST(Table, AlignsByCodePoint) {
  const Table table{.header = {"id", "piece"}, .rows = {{"7", "é", "x"}, {"123", "ab"}}, .right = "r"};
  EXPECT_EQ(table.str(), " id  piece\n  7  é      x\n123  ab\n");
  EXPECT_EQ(Table{}.str(), "");
}

TEST(Table, FoldsLongLinesUnderTheirLastColumn) {
  EXPECT_EQ(folded("name  one two three four\nshort\n", 16), "name  one two\n      three four\nshort\n");
  EXPECT_EQ(folded("  a é three four five", 11), "  a é three\n  four five");
  EXPECT_EQ(folded("a aaaaaaaaaaaaaaaaa b\n\n", 8), "a\naaaaaaaaaaaaaaaaa\nb\n\n");
  EXPECT_EQ(folded("one two;  three", 9), "one two;\nthree");
  EXPECT_EQ(folded("exactly8\nexactly 9", 9), "exactly8\nexactly 9");
  EXPECT_EQ(folded("", 8), "");
  EXPECT_EQ(folded("            ", 8), "            ");
}

TEST(Table, ControlCharactersBecomeVisible) {
  EXPECT_EQ(visible("a\nb\tc\rd\x1b[31m\x7f é"), "a\\nb\\tc\\rd\\x1b[31m\\x7f é");
}

}  // namespace
}  // namespace headwater
