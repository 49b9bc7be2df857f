#include "base/index_list.h"

#include <gtest/gtest.h>
#include <headwater/error.h>

namespace headwater {
namespace {

std::vector<int> parsed(const std::string& text) {
  return parse_index_list(text, 8, [](const std::string& piece) { throw InputError(piece); });
}

TEST(IndexList, TakesNumbersAndRanges) {
  EXPECT_EQ(parsed("0,3,5-7"), (std::vector<int>{0, 3, 5, 6, 7}));
  EXPECT_EQ(parsed("4"), (std::vector<int>{4}));
  EXPECT_EQ(parsed("6-7,0,6"), (std::vector<int>{0, 6, 7}));
}

TEST(IndexList, NamesThePieceThatIsNone) {
  for (const std::string piece :
       {"8", "-1", "3-1", "2-8", "1-2-3", "x", "1x", "", "+1", "1 ", "99999999999"}) {
    try {
      parsed("0," + piece);
      FAIL() << piece;
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), piece);
    }
  }
}

}  // namespace
}  // namespace headwater
