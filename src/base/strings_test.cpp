#include "base/strings.h"

#include <gtest/gtest.h>

namespace headwater {
namespace {

TEST(Strings, NumbersForPeople) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1536), "1.5 kB");
  EXPECT_EQ(human_bytes(std::size_t{3} << 40), "3.0 TB");
  EXPECT_EQ(human_bytes(std::size_t{3} << 52), "12288.0 TB");
  EXPECT_EQ(with_thousands(0), "0");
  EXPECT_EQ(with_thousands(999), "999");
  EXPECT_EQ(with_thousands(1000), "1,000");
  EXPECT_EQ(with_thousands(22713216), "22,713,216");
}

TEST(Strings, SplitKeepsEmptyParts) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string>{""}));
}

}  // namespace
}  // namespace headwater
