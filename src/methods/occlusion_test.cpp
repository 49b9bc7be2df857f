// Games with known answers (support/sum_model.h): e = (12, 13, 14) for ids 2, 3, 4, and 1 for the mask.
#include <gtest/gtest.h>
#include <headwater/error.h>

#include "methods/method.h"
#include "support/fakes.h"
#include "support/sum_model.h"

namespace headwater {
namespace {

using testing::SumModel;

struct Asked {
  Task task = Task::TextClassification;
  int position = -1;
  std::vector<int> ids{2, 3, 4};
  Encoding encoding{};
  std::size_t scratch = default_scratch;
};

Attribution explain(const std::map<std::string, std::string>& options, const Asked& asked = {}) {
  const SumModel model(asked.task);
  Study study(model, Batch{.ids = {asked.ids}}, testing::units_of_text(asked.encoding));
  study.special_ids.mask = SumModel::mask;
  study.scratch = asked.scratch;
  study.aim({.position = asked.position, .index = 0});
  const Method& method = find_method("occlusion");
  return method.run(study, MethodOptions(method.name, method.options, options));
}

TEST(Occlusion, ReplacesOneTokenAtATime) {
  // F = 39 + 2·12·13 = 351; without token 0: 28 + 26 = 54; without 1: 27 + 24 = 51; without 2: 26 + 312.
  EXPECT_EQ(explain({}).scores().to_doubles(), (std::vector<double>{297, 300, 13}));
  EXPECT_EQ(explain({}, {.scratch = 0}).scores().to_doubles(), (std::vector<double>{297, 300, 13}));
  // Zero: F = 27, 26, 25 + 312. Mean 13: 40 + 338, 39 + 312, 38 + 312.
  EXPECT_EQ(explain({{"replace", "zero"}}).scores().to_doubles(), (std::vector<double>{324, 325, 14}));
  EXPECT_EQ(explain({{"replace", "mean"}}).scores().to_doubles(), (std::vector<double>{-27, 0, 1}));
}

TEST(Occlusion, DeletingShortensTheText) {
  // 13 + 14 + 2·182; 12 + 14 + 2·168; 25 + 312.
  EXPECT_EQ(explain({{"replace", "delete"}}).scores().to_doubles(), (std::vector<double>{-40, -11, 14}));
  // Token-wise at token 1: F = 13 + 39; the target moves with its token and is never deleted itself.
  const Attribution rows =
      explain({{"replace", "delete"}}, {.task = Task::TokenClassification, .position = 1});
  EXPECT_EQ(rows.scores().to_doubles(), (std::vector<double>{12, 0, 14}));
  EXPECT_NE(rows.notes.back().find("1 of 3 tokens"), std::string::npos);
  EXPECT_THROW(explain({{"replace", "delete"}}, {.ids = {5}}), InputError);
}

TEST(Occlusion, TakesWholeWordsAndLeavesSpecialTokensAlone) {
  Encoding encoding;
  encoding.tokens = {{.id = 2, .word = 0}, {.id = 3, .word = 0}, {.id = 4, .word = -1, .special = true}};
  const Attribution words = explain({{"unit", "word"}}, {.encoding = encoding});
  // Both tokens of the word gone: 2 + 14 + 2 = 18, so that 333 is shared by two.
  EXPECT_EQ(words.scores().to_doubles(), (std::vector<double>{166.5, 166.5, 0}));
  EXPECT_EQ(words.details[0].values.to_doubles(), (std::vector<double>{333}));
  EXPECT_EQ(words.details[1].values.to_doubles(), (std::vector<double>{0, 0, -1}));
  const Attribution all = explain({{"special_tokens", "include"}}, {.encoding = encoding});
  EXPECT_EQ(all.scores().to_doubles(), (std::vector<double>{297, 300, 13}));
  for (const Check& check : all.checks) EXPECT_TRUE(check.passed) << check.name;
}

TEST(Occlusion, RefusesWhatTheModelDoesNotHave) {
  EXPECT_THROW(explain({{"replace", "pad"}}), InputError);
  EXPECT_THROW(explain({{"replace", "unk"}}), InputError);
  EXPECT_THROW(explain({{"replace", "black"}}), InputError);
}

TEST(Occlusion, AnAnswersProbabilityCannotLoseTokens) {
  EXPECT_THROW(explain({{"replace", "delete"}, {"quantity", "probability"}},
                       {.task = Task::QuestionAnswering, .position = 1}),
               InputError);
}

}  // namespace
}  // namespace headwater
