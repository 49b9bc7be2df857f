#include "server/negotiation.h"

#include <array>

#include <gtest/gtest.h>

namespace headwater {
namespace {

constexpr std::array offered{json_type, page_type, html_type};

std::string taken(const std::string& accept) {
  return std::string(chosen_type(accept, offered).value_or("none"));
}

TEST(Negotiation, TakesWhatIsAskedFor) {
  EXPECT_EQ(taken(""), json_type);
  EXPECT_EQ(taken("*/*"), json_type);
  EXPECT_EQ(taken("text/html"), html_type);
  EXPECT_EQ(taken("TEXT/HTML; charset=utf-8"), html_type);
  EXPECT_EQ(taken("text/*"), html_type);
  EXPECT_EQ(taken("image/png"), "none");
  EXPECT_EQ(taken(",, ;q=1"), json_type) << "nothing is no wish";
}

TEST(Negotiation, WeighsQualities) {
  EXPECT_EQ(taken("application/json;q=0.5, text/html;q=0.9"), html_type);
  EXPECT_EQ(taken("text/html;q=0"), "none");
  EXPECT_EQ(taken("*/*, application/json;q=0"), page_type) << "the exact range counts, not the wide one";
  EXPECT_EQ(taken("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"), html_type);
  EXPECT_EQ(taken("application/*;q=0.3, */*;q=0.8"), html_type);
  EXPECT_EQ(taken("text/html;q=nonsense"), html_type);
}

}  // namespace
}  // namespace headwater
