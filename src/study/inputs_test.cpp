#include "study/inputs.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "base/files.h"
#include "support/fakes.h"
#include "support/scratch_folder.h"

namespace headwater {
namespace {

using testing::make_fixture;

template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Inputs, TextBecomesIdsWithTypesOnlyWhereTheModelHasThem) {
  auto fixture = make_fixture(Task::TextClassification);
  const Prepared plain = prepare(fixture.loaded, {.text = "not bad"});
  EXPECT_EQ(plain.batch.ids, (std::vector<std::vector<int>>{{0, 4, 5, 1}}));
  EXPECT_TRUE(plain.batch.type_ids.empty());
  ModelInfo typed = fixture.model->info();
  typed.segments = 2;
  fixture.loaded.model = std::make_shared<testing::FakeModel>(typed);
  const Prepared pair = prepare(fixture.loaded, {.text = "not", .pair = "bad"});
  EXPECT_EQ(pair.batch.type_ids, (std::vector<std::vector<int>>{{0, 0, 0, 1, 1}}));
}

// As a tokenizer that keeps spaces in its pieces and cuts no words gives it; two spaces before "film".
Encoding spaced_encoding() {
  Encoding encoding{.text = "A very  film,x", .pair = "a b", .has_pair = true};
  const auto add = [&](Index begin, Index end, int word, int segment) {
    encoding.tokens.push_back({.begin = begin, .end = end, .word = word, .segment = segment});
  };
  add(0, 0, -1, 0);
  add(0, 1, 0, 0);    // A
  add(1, 4, 0, 0);    // " ve"
  add(4, 6, 0, 0);    // "ry"
  add(6, 7, 0, 0);    // " "
  add(7, 12, 0, 0);   // " film"
  add(12, 13, 0, 0);  // ","
  add(13, 14, 1, 0);  // "x", another word of the tokenizer
  add(0, 1, 0, 1);    // "a"
  add(2, 3, 0, 1);    // "b", without its space
  return encoding;
}

std::vector<int> words_of(const Encoding& encoding) {
  std::vector<int> words;
  for (const Token& token : encoding.tokens) words.push_back(token.word);
  return words;
}

TEST(Inputs, WordsEndAtSpaces) {
  Encoding encoding = spaced_encoding();
  end_words_at_spaces(encoding);
  EXPECT_EQ(words_of(encoding), (std::vector<int>{-1, 0, 1, 1, 2, 2, 2, 3, 0, 1}));
}

TEST(Inputs, WordsThatWereSplitBeforeEndNowhereElse) {
  Encoding encoding = spaced_encoding();
  words_between_spaces(encoding);
  EXPECT_EQ(words_of(encoding), (std::vector<int>{-1, 0, 1, 1, 2, 2, 2, 2, 0, 1}));
}

TEST(Inputs, TooLongNamesLimitLengthAndRemedy) {
  const auto fixture = make_fixture(Task::TextClassification);
  std::string text;
  for (int i = 0; i < 20; ++i) text += "bad ";
  const std::string message = message_of([&] { prepare(fixture.loaded, {.text = text}); });
  EXPECT_NE(message.find("12"), std::string::npos) << message;
  EXPECT_NE(message.find("22"), std::string::npos) << message;
  EXPECT_NE(message.find("--truncate"), std::string::npos) << message;
  const Prepared cut = prepare(fixture.loaded, {.text = text, .truncate = true});
  EXPECT_EQ(cut.batch.ids.front().size(), 12U);
  EXPECT_TRUE(cut.encoding.truncated);
}

TEST(Inputs, RefusesTheWrongKindOfInput) {
  const auto fixture = make_fixture(Task::TextClassification);
  EXPECT_THROW(prepare(fixture.loaded, {.text = "not", .image = "a.png"}), InputError);
  const auto answers = make_fixture(Task::QuestionAnswering);
  EXPECT_THROW(prepare(answers.loaded, {.text = "who"}), InputError);
  ModelInfo info;
  info.task = Task::ImageClassification;
  info.last().modality = Modality::Image;
  info.image_size = 8;
  LoadedModel vision{.model = std::make_shared<testing::FakeModel>(info)};
  EXPECT_THROW(prepare(vision, {.text = "a cat"}), InputError);
}

class NoTokens : public testing::FakeTokenizer {
 public:
  NoTokens() : FakeTokenizer({}) {}
  Encoding encode(const std::string&, const std::optional<std::string>&,
                  const EncodeOptions&) const override {
    return {};
  }
};

TEST(Inputs, RefusesAnInputWithoutTokens) {
  auto fixture = make_fixture(Task::TextGeneration);
  fixture.loaded.tokenizer = std::make_shared<NoTokens>();
  EXPECT_THROW(prepare(fixture.loaded, {.text = ""}), InputError);
}

TEST(Inputs, ViewsShowTheOriginalTextAndThePieceOfSpecialTokens) {
  const auto fixture = make_fixture(Task::TextClassification);
  const auto views = testing::units_of_text(fixture.loaded.tokenizer->encode("un-able zzz")).all;
  ASSERT_EQ(views.size(), 5U);
  EXPECT_EQ(views[0].text, "[CLS]");
  EXPECT_TRUE(views[0].special);
  EXPECT_EQ(views[2].text, "able");
  EXPECT_EQ(views[2].piece, "##able");
  EXPECT_EQ(views[1].word, views[2].word);
  EXPECT_EQ(views[3].text, "zzz");
  EXPECT_EQ(views[3].piece, "[UNK]");
}

TEST(Inputs, PartsOfACharacterAreShownAsThePiece) {
  const Encoding encoding{.text = "\xc3\xa9", .tokens = {{.piece = "Ã", .begin = 0, .end = 1}}};
  EXPECT_EQ(shown(encoding, encoding.tokens[0]), "Ã");
}

// Of "w3 x" a tokenizer may make ▁ w3 ▁ x, the first mark with the span of the w that it stands before.
TEST(Inputs, ALoneMarkOfAWordsStartIsNotShownAsTheLetterBehindIt) {
  const Encoding encoding{.text = "w3 x",
                          .tokens = {{.piece = "▁", .begin = 0, .end = 1},
                                     {.piece = "w3", .begin = 0, .end = 2},
                                     {.piece = "▁", .begin = 2, .end = 3},
                                     {.piece = "▁x", .begin = 2, .end = 4}}};
  EXPECT_EQ(shown(encoding, encoding.tokens[0]), "▁");
  EXPECT_EQ(shown(encoding, encoding.tokens[1]), "w3");
  EXPECT_EQ(shown(encoding, encoding.tokens[2]), " ");
  EXPECT_EQ(shown(encoding, encoding.tokens[3]), " x");
}

TEST(Inputs, RowsAreTheMasksOrTheLastTokenOrAll) {
  const auto masks = make_fixture(Task::FillMask);
  const Encoding two = masks.loaded.tokenizer->encode("not [MASK] at [MASK]");
  EXPECT_EQ(wanted_rows(masks.loaded, two), (std::vector<int>{2, 4}));
  EXPECT_EQ(wanted_rows(masks.loaded, two, 1), (std::vector<int>{1, 2, 4}));
  EXPECT_EQ(wanted_rows(masks.loaded, two, 2), (std::vector<int>{2, 4}));
  const Encoding none = masks.loaded.tokenizer->encode("not bad");
  EXPECT_EQ(wanted_rows(masks.loaded, none, 1), (std::vector<int>{1}));
  const std::string message = message_of([&] { wanted_rows(masks.loaded, none); });
  EXPECT_NE(message.find("[MASK]"), std::string::npos) << message;
  const auto next = make_fixture(Task::TextGeneration);
  EXPECT_EQ(wanted_rows(next.loaded, none), (std::vector<int>{3}));
  EXPECT_TRUE(wanted_rows(make_fixture(Task::TokenClassification).loaded, none).empty());
  EXPECT_THROW(wanted_rows(next.loaded, none, 4), InputError);
  EXPECT_THROW(wanted_rows(next.loaded, none, -1), InputError);
}

TEST(Inputs, ProblemFollowsConfigAndLabels) {
  ModelInfo info;
  info.task = Task::TextClassification;
  info.labels = {"a", "b"};
  EXPECT_EQ(problem_of(Config::parse("{}", "c"), info), Problem::SingleLabel);
  EXPECT_EQ(problem_of(Config::parse(R"({"problem_type": "multi_label_classification"})", "c"), info),
            Problem::MultiLabel);
  EXPECT_EQ(problem_of(Config::parse(R"({"problem_type": "regression"})", "c"), info), Problem::Regression);
  info.labels = {"a"};
  EXPECT_EQ(problem_of(Config::parse("{}", "c"), info), Problem::Regression);
}

TEST(Inputs, EndTokensComeFromTheGenerationConfigFirst) {
  const testing::ScratchFolder scratch;
  const std::string folder = scratch.path();
  const Config config = Config::parse(R"({"eos_token_id": 2})", "config.json");
  EXPECT_EQ(end_tokens(config, folder), (std::vector<int>{2}));
  EXPECT_TRUE(end_tokens(Config::parse(R"({"eos_token_id": null})", "c"), folder).empty());
  write_file(folder + "/generation_config.json", R"({"eos_token_id": [7, 8]})");
  EXPECT_EQ(end_tokens(config, folder), (std::vector<int>{7, 8}));
  write_file(folder + "/generation_config.json", R"({"eos_token_id": ["x"]})");
  EXPECT_THROW(end_tokens(config, folder), FormatError);
}

TEST(Inputs, AnOutputBeginsWithTheDecodersStartToken) {
  const testing::ScratchFolder scratch;
  const std::string folder = scratch.path();
  ModelInfo info;
  info.stacks = {{.name = "encoder"}, {.name = "decoder", .reads = 0}};
  EXPECT_EQ(start_token(Config::parse(R"({"pad_token_id": 3})", "c"), folder, info), 3);
  EXPECT_EQ(
      start_token(Config::parse(R"({"decoder_start_token_id": 4, "pad_token_id": 3})", "c"), folder, info),
      4);
  EXPECT_THROW(start_token(Config::parse("{}", "c"), folder, info), FormatError);
  write_file(folder + "/generation_config.json", R"({"decoder_start_token_id": 5})");
  EXPECT_EQ(start_token(Config::parse(R"({"pad_token_id": 3})", "c"), folder, info), 5);
}

}  // namespace
}  // namespace headwater
