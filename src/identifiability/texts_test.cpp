#include "identifiability/texts.h"

#include <cmath>
#include <set>

#include <gtest/gtest.h>
#include <headwater/error.h>

namespace headwater {
namespace {

std::vector<ProbeText> numbered_texts(int count) {
  std::vector<ProbeText> texts;
  for (int i = 0; i < count; ++i)
    texts.push_back({.ids = {0, i + 2, 1}, .type_ids = {}, .special = {true, false, true}});
  return texts;
}

TEST(Split, TakesSeventyFifteenFifteen) {
  const Split split = split_texts(numbered_texts(100), 1, 0);
  ASSERT_EQ(split.parts.size(), 1U);
  EXPECT_EQ(texts_in(split.parts[0], Part::Train).size(), 70U);
  EXPECT_EQ(texts_in(split.parts[0], Part::Validation).size(), 15U);
  EXPECT_EQ(texts_in(split.parts[0], Part::Test).size(), 15U);
  EXPECT_EQ(split.parts, split_texts(numbered_texts(100), 1, 0).parts);
  EXPECT_NE(split.parts, split_texts(numbered_texts(100), 1, 1).parts);
  const Split least = split_texts(numbered_texts(3), 1, 0);
  EXPECT_EQ(texts_in(least.parts[0], Part::Train).size(), 1U);
}

TEST(Split, KeepsEqualTextsTogether) {
  std::vector<ProbeText> texts = numbered_texts(20);
  const std::vector<ProbeText> again = numbered_texts(20);
  texts.insert(texts.end(), again.begin(), again.end());
  for (const int folds : {1, 5}) {
    const Split split = split_texts(texts, folds, 0);
    EXPECT_EQ(split.distinct, 20U);
    for (const auto& parts : split.parts)
      for (std::size_t t = 0; t < 20; ++t) EXPECT_EQ(parts[t], parts[t + 20]);
  }
}

TEST(Split, FoldsTestEveryTextOnce) {
  const Split split = split_texts(numbered_texts(23), 5, 0);
  std::multiset<std::size_t> tested;
  for (const auto& parts : split.parts) {
    for (const std::size_t t : texts_in(parts, Part::Test)) tested.insert(t);
    EXPECT_GE(texts_in(parts, Part::Validation).size(), 4U);
    EXPECT_GE(texts_in(parts, Part::Train).size(), 13U);
  }
  EXPECT_EQ(tested.size(), 23U);
  EXPECT_EQ(std::set<std::size_t>(tested.begin(), tested.end()).size(), 23U);
}

TEST(Split, RefusesTooFewTexts) {
  EXPECT_THROW(split_texts(numbered_texts(2), 1, 0), InputError);
  EXPECT_THROW(split_texts(numbered_texts(4), 5, 0), InputError);
  EXPECT_THROW(split_texts(numbered_texts(9), 2, 0), InputError);
  std::vector<ProbeText> same(9, numbered_texts(1).front());
  EXPECT_THROW(split_texts(same, 1, 0), InputError);
}

TEST(Chance, IsWhatAUniformGuessScores) {
  // By hand. Text a: 4 tokens of ids 0 5 5 1, the ends special; text b: 2 tokens 7 8, none special.
  const ProbeText a{.ids = {0, 5, 5, 1}, .type_ids = {}, .special = {true, false, false, true}};
  const ProbeText b{.ids = {7, 8}, .type_ids = {}, .special = {false, false}};
  const TokenRules<double> chance = chance_of({&a, &b}, TokenPool::Sentence, 100);
  EXPECT_DOUBLE_EQ(chance.position, 2.0 / 6);
  EXPECT_DOUBLE_EQ(chance.id, (1.0 / 4 + 4.0 / 4 + 1.0 / 4 + 1.0 / 2 + 1.0 / 2) / 6);
  EXPECT_DOUBLE_EQ(chance.content_position, 2.0 / 4);
  EXPECT_DOUBLE_EQ(chance.content_id, (4.0 / 2 + 1.0 / 2 + 1.0 / 2) / 4);
  const TokenRules<double> whole = chance_of({&a, &b}, TokenPool::Vocabulary, 100);
  EXPECT_DOUBLE_EQ(whole.id, 0.01);
  EXPECT_TRUE(std::isnan(whole.position));
}

}  // namespace
}  // namespace headwater
