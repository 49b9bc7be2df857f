#include "base/nearest.h"

#include <vector>

#include <gtest/gtest.h>

namespace headwater {
namespace {

const std::vector<std::string> names{"predict", "explain", "inspect", "info", "--format", "--file"};

TEST(Suggestion, NamesTheNearest) {
  EXPECT_EQ(suggestion("predcit", names), "; did you mean predict?");
  EXPECT_EQ(suggestion("explian", names), "; did you mean explain?");
  EXPECT_EQ(suggestion("inf", names), "; did you mean info?");
  EXPECT_EQ(suggestion("--fromat", names), "; did you mean --format?");
  EXPECT_EQ(suggestion("insp", names), "; did you mean inspect?");
}

TEST(Suggestion, IsSilentAboutWhatIsNoSlip) {
  EXPECT_EQ(suggestion("zzz", names), "");
  EXPECT_EQ(suggestion("", names), "");
  EXPECT_EQ(suggestion("x", names), "");
  EXPECT_EQ(suggestion(std::string(100'000, 'p'), names), "");
  EXPECT_EQ(suggestion("predict", {}), "");
}

}  // namespace
}  // namespace headwater
