#include "study/labels.h"

#include <gtest/gtest.h>
#include <headwater/error.h>

namespace headwater {
namespace {

std::string refusal(const std::vector<std::string>& labels, const std::string& wanted) {
  try {
    label_index(labels, wanted, "label");
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Labels, ByNameCaseAndIndex) {
  const std::vector<std::string> labels{"NEGATIVE", "POSITIVE"};
  EXPECT_EQ(label_index(labels, "POSITIVE", "label"), 1);
  EXPECT_EQ(label_index(labels, "positive", "label"), 1);
  EXPECT_EQ(label_index(labels, "1", "label"), 1);
  EXPECT_EQ(refusal(labels, "neutral"),
            "label: expected one of NEGATIVE, POSITIVE or an index 0 … 1, found 'neutral'");
  for (const char* wrong : {"2", "-1", "1.0", "1 ", ""})
    EXPECT_NE(refusal(labels, wrong).find("0 … 1"), std::string::npos) << wrong;
}

TEST(Labels, ANameGoesBeforeAnIndex) {
  EXPECT_EQ(label_index({"1", "0"}, "1", "label"), 0);
}

TEST(Labels, AnotherCaseMustFitOneOnly) {
  const std::vector<std::string> labels{"yes", "Yes", "no"};
  EXPECT_EQ(label_index(labels, "Yes", "label"), 1);
  EXPECT_EQ(label_index(labels, "NO", "label"), 2);
  EXPECT_NE(refusal(labels, "YES").find("expected one of"), std::string::npos);
}

TEST(Labels, LongListsAreCut) {
  const std::string message = refusal(std::vector<std::string>(1000, "cat"), "dog");
  EXPECT_NE(message.find("cat, … or an index 0 … 999"), std::string::npos) << message;
}

}  // namespace
}  // namespace headwater
