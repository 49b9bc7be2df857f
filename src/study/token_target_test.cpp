#include "study/token_target.h"

#include <cmath>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "study/prediction.h"
#include "study/target.h"
#include "study/token_text.h"
#include "support/fakes.h"

namespace headwater {
namespace {

// Words with the space before them and without, as SentencePiece spells them.
//   0 <unk>  1 ▁girls  2 ▁was  3 was  4 ▁wasn  5 '  6 t  7 ▁were  8 ▁Those
constexpr const char* sentence_pieces = R"({
  "version": "1.0", "added_tokens": [], "normalizer": null, "post_processor": null,
  "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": false},
  "decoder": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": false},
  "model": {"type": "Unigram", "unk_id": 0, "byte_fallback": false, "vocab": [["<unk>", 0], ["▁girls", -1],
    ["▁was", -1], ["was", -3], ["▁wasn", -1], ["'", -1], ["t", -1], ["▁were", -1], ["▁Those", -1]]}})";
// "Ġ" is a space: 0 Ġwas  1 was  2 The  3 Ġ
constexpr const char* byte_pieces = R"({
  "version": "1.0", "added_tokens": [], "normalizer": null, "post_processor": null,
  "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
  "decoder": {"type": "ByteLevel"},
  "model": {"type": "BPE", "merges": ["w a", "wa s", "Ġ was", "T h", "Th e"], "vocab": {"Ġwas": 0, "was": 1,
    "The": 2, "Ġ": 3, "w": 4, "a": 5, "s": 6, "T": 7, "h": 8, "e": 9, "wa": 10, "Th": 11}}})";
// 0 [UNK]  1 go  2 ing  3 ##ing  4 was  5 [MASK]  6 un  7 ##able
constexpr const char* word_pieces = R"({
  "version": "1.0", "normalizer": {"type": "Lowercase"}, "post_processor": null,
  "added_tokens": [{"id": 5, "content": "[MASK]", "single_word": false, "lstrip": false, "rstrip": false,
    "normalized": false, "special": true}],
  "pre_tokenizer": {"type": "BertPreTokenizer"}, "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true},
  "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
    "max_input_chars_per_word": 100, "vocab": {"[UNK]": 0, "go": 1, "ing": 2, "##ing": 3, "was": 4, "[MASK]": 5,
    "un": 6, "##able": 7}}})";

// A model over one of these vocabularies whose logits depend on the position alone.
struct Subject {
  testing::Fixture fixture;
  Prepared prepared;
  int added = 0;

  Subject(const char* tokenizer, Task task, const std::string& text, int vocabulary,
          const std::vector<std::vector<double>>& logits)
      : fixture(testing::make_fixture(task)) {
    ModelInfo info = fixture.model->info();
    info.vocabulary = vocabulary;
    fixture.model = std::make_shared<testing::FakeModel>(info);
    fixture.loaded.model = fixture.model;
    fixture.loaded.tokenizer = Tokenizer::from_json(tokenizer, "test");
    std::vector<double> all;
    for (const auto& row : logits) all.insert(all.end(), row.begin(), row.end());
    fixture.model->logits = Tensor::of({static_cast<Index>(logits.size()), vocabulary}, all);
    prepared = prepare(fixture.loaded, {.text = text});
  }

  Target resolve(const TargetSpec& given) {
    const MovedOn moved = move_on(fixture.loaded, given, prepared);
    added = moved.added;
    Tape tape(Keep::Nothing);
    const Row row = row_of(fixture.model->run(tape, prepared.batch).value, 0, prepared.batch.positions);
    const Prediction prediction = read_prediction(fixture.loaded, row, prepared, 3);
    return resolve_target(fixture.loaded, moved.spec, prediction, prepared.encoding, row);
  }
  std::string refusal(const TargetSpec& spec) {
    try {
      resolve(spec);
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing was thrown";
  }
};

// After "Those girls" (tokens 0 and 1): ▁was is likely, was is not. Later rows are for "wasn't".
Subject girls(double with_space = 6, double without = -6) {
  const std::vector<double> next{-9, 0, with_space, without, 2, 0, 0, 5, 0};
  const std::vector<double> after_wasn{0, 0, 0, 0, 0, 3, 0, 0, 0}, after_quote{0, 0, 0, 0, 0, 0, 4, 1, 0};
  return {sentence_pieces, Task::TextGeneration, "Those girls", 9, {next, next, after_wasn, after_quote}};
}

double log_share(const std::vector<double>& z, std::size_t k) {
  double sum = 0;
  for (const double v : z) sum += std::exp(v);
  return z[k] - std::log(sum);
}

TEST(TokenTarget, AWordIsTheTokenThatWouldBePredicted) {
  const Target target = girls().resolve({.label = "was"});
  EXPECT_EQ(target.index, 2);
  EXPECT_EQ(target.label, "was");
  EXPECT_EQ(target.logit, 6);
  EXPECT_EQ(girls().resolve({}).index, 2);
  EXPECT_EQ(girls(-6, 6).resolve({.label = "was"}).index, 3) << "where that is the likelier";
}

TEST(TokenTarget, ASpaceAPieceOrAnIdSaysWhich) {
  EXPECT_EQ(girls(-6, 6).resolve({.label = " was"}).index, 2);
  EXPECT_EQ(girls(-6, 6).resolve({.label = "▁was"}).index, 2);
  EXPECT_EQ(girls().resolve({.label = "#3"}).index, 3);
}

TEST(TokenTarget, LabelsTellTokensApart) {
  EXPECT_EQ(girls().resolve({.label = "#3"}).label, "was #3");
  EXPECT_EQ(girls(-6, 6).resolve({.label = "▁was"}).label, "was #2");
  const Target both = girls().resolve({.label = "was", .contrast = "#3"});
  EXPECT_EQ(both.label, "was");
  EXPECT_EQ(both.contrast_label, "was #3");
  Subject close = girls(6, 5.5);
  close.resolve({});
  Tape tape(Keep::Nothing);
  const Row row = row_of(close.fixture.model->run(tape, close.prepared.batch).value, 0, {1});
  const Prediction prediction = read_prediction(close.fixture.loaded, row, close.prepared, 3);
  ASSERT_EQ(prediction.outcomes.front().top.size(), 3U);
  EXPECT_EQ(prediction.outcomes.front().top[0].label, "was");
  EXPECT_EQ(prediction.outcomes.front().top[1].label, "was #3");
  EXPECT_EQ(prediction.outcomes.front().top[2].label, "were");
}

// e⁶ = 403.4 and e³·⁹ = 49.4 of 612.6 in all. e⁶ : e³·⁹ is 0.891 : 0.109, e⁶ : e³·⁷ is 0.909 : 0.091.
TEST(TokenTarget, AnAmbiguousWordNamesItsCandidates) {
  EXPECT_EQ(girls(6, 3.7).resolve({.label = "was"}).index, 2);
  const std::string message = girls(6, 3.9).refusal({.label = "was"});
  for (const char* part : {"target: ", "'was'", "▁was (#2, 0.6585)", "was (#3, 0.0806", "' was'", "(#2)"})
    EXPECT_NE(message.find(part), std::string::npos) << part << " in " << message;
  EXPECT_TRUE(girls(6, 3.9).refusal({.contrast = "was"}).starts_with("contrast: "));
}

TEST(TokenTarget, SeveralTokensMoveTheInputOn) {
  Subject subject = girls();
  const Target target = subject.resolve({.label = "wasn't"});
  EXPECT_EQ(target.tokens, (std::vector<int>{4, 5, 6}));
  EXPECT_EQ(target.index, 4);
  EXPECT_EQ(target.position, 1);
  EXPECT_EQ(target.label, "wasn't");
  const double expected = log_share({-9, 0, 6, -6, 2, 0, 0, 5, 0}, 4) +
                          log_share({0, 0, 0, 0, 0, 3, 0, 0, 0}, 5) +
                          log_share({0, 0, 0, 0, 0, 0, 4, 1, 0}, 6);
  EXPECT_NEAR(target.logit, expected, 1e-12);
  EXPECT_NEAR(target.probability, std::exp(expected), 1e-12);
  EXPECT_EQ(subject.prepared.batch.ids.front(), (std::vector<int>{8, 1, 4, 5}));
  EXPECT_EQ(subject.prepared.batch.positions, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(subject.added, 2);
  const std::vector<Unit> views = testing::units_of_text(subject.prepared.encoding).all;
  EXPECT_EQ(views[2].text, " wasn");
  EXPECT_EQ(views[3].text, "'");
  EXPECT_EQ(views[3].word, views[2].word);
  EXPECT_GT(views[2].word, views[1].word);
}

TEST(TokenTarget, SeveralTokensByTheirIds) {
  EXPECT_EQ(girls().resolve({.label = "#4,5,6"}).label, "wasn't");
  EXPECT_EQ(girls().resolve({.label = "#4,#5,#6"}).tokens, (std::vector<int>{4, 5, 6}));
  for (const char* wrong : {"#4,5,9", "#4,,5", "#4,x", "#", "#-1", "#4,"})
    EXPECT_NE(girls().refusal({.label = wrong}).find("#0 … #8"), std::string::npos) << wrong;
  EXPECT_EQ(written_ids(std::vector<int>{4, 5}), "#4,5");
}

TEST(TokenTarget, AnEarlierPositionCutsTheInputThere) {
  Subject subject = girls();
  const Target target = subject.resolve({.label = "wasn't", .position = 0});
  EXPECT_EQ(target.position, 0);
  EXPECT_EQ(subject.prepared.batch.ids.front(), (std::vector<int>{8, 4, 5}));
}

TEST(TokenTarget, ContrastsOfSeveralTokens) {
  const Target target = girls().resolve({.label = "wasn't", .contrast = "#4,5,7"});
  EXPECT_EQ(target.contrast_tokens, (std::vector<int>{4, 5, 7}));
  EXPECT_NEAR(target.logit, 4 - 1, 1e-12) << "they differ in the last token alone";
  const Target one = girls().resolve({.label = "was", .contrast = "wasn't"});
  EXPECT_TRUE(one.tokens.empty());
  EXPECT_NEAR(one.logit,
              6 - 2 - log_share({0, 0, 0, 0, 0, 3, 0, 0, 0}, 5) - log_share({0, 0, 0, 0, 0, 0, 4, 1, 0}, 6),
              1e-12);
  EXPECT_NE(girls().refusal({.label = "wasn't", .contrast = "#2,5,6"}).find("inputs of their own"),
            std::string::npos);
  EXPECT_NE(girls().refusal({.label = "wasn't", .contrast = "wasn't"}).find("twice"), std::string::npos);
}

TEST(TokenTarget, ATargetThatDoesNotFitIsRefused) {
  const std::string many = "#" + std::string("4,") + "5,5,5,5,5,5,5,5,5,5,6";  // 12 after 2; 12 positions
  EXPECT_NE(girls().refusal({.label = many}).find("at most 12 tokens"), std::string::npos);
  EXPECT_NE(girls().refusal({.label = "wasx"}).find("tokens of the vocabulary"), std::string::npos);
}

TEST(TokenTarget, PlansKnowTheLongestReading) {
  Subject subject = girls();
  const LoadedModel& loaded = subject.fixture.loaded;
  EXPECT_EQ(most_added(loaded, {.label = "was"}, subject.prepared.encoding), 0);
  EXPECT_EQ(most_added(loaded, {.label = "wasn't"}, subject.prepared.encoding), 2);
  EXPECT_EQ(most_added(loaded, {.label = "was", .contrast = "#4,5"}, subject.prepared.encoding), 1);
  EXPECT_EQ(subject.fixture.model->runs, 0) << "a plan runs nothing";
}

TEST(TokenTarget, ByteLevelPieces) {
  const std::vector<double> spaced{5, -5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
      bare{-5, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  const auto at = [&](const std::vector<double>& z) {
    return Subject(byte_pieces, Task::TextGeneration, "The", 12, {z});
  };
  EXPECT_EQ(at(spaced).resolve({.label = "was"}).index, 0);
  EXPECT_EQ(at(spaced).resolve({.label = "was"}).label, " was");
  EXPECT_EQ(at(bare).resolve({.label = "was"}).index, 1);
  EXPECT_EQ(at(bare).resolve({.label = " was"}).index, 0);
  EXPECT_EQ(at(bare).resolve({.label = "Ġwas"}).index, 0);
  EXPECT_EQ(at(bare).resolve({.label = " was"}).label, " was #0");
}

TEST(TokenTarget, WordPieces) {
  const auto at = [&](double word, double suffix) {
    return Subject(word_pieces, Task::TextGeneration, "go", 8, {{0, 0, word, suffix, 0, 0, 0, 0}});
  };
  EXPECT_EQ(at(-5, 5).resolve({.label = "ing"}).index, 3);
  EXPECT_EQ(at(5, -5).resolve({.label = "ing"}).index, 2);
  EXPECT_EQ(at(5, -5).resolve({.label = "##ing"}).index, 3);
  EXPECT_EQ(at(-5, 5).resolve({.label = " ing"}).index, 2);
  EXPECT_NE(at(1, 1).refusal({.label = "ing"}).find("##ing (#3, "), std::string::npos);
}

TEST(TokenTarget, MasksTakeOneToken) {
  const auto mask = [&](const std::string& text) {
    return Subject(word_pieces, Task::FillMask, text, 8, {{0, 1, 0, 0, 3, 0, 0, 0}});
  };
  EXPECT_EQ(mask("go [MASK]").resolve({.label = "was", .position = 1}).index, 4);
  EXPECT_EQ(mask("[MASK] go").resolve({.label = "Was", .position = 0}).index, 4)
      << "as the tokenizer reads it";
  EXPECT_EQ(mask("go [MASK] go").resolve({.contrast = "go", .position = 1}).contrast, 1);
  const std::string message = mask("go [MASK]").refusal({.label = "unable", .position = 1});
  EXPECT_NE(message.find("un ##able"), std::string::npos) << message;
  EXPECT_NE(message.find("one mask for each"), std::string::npos) << message;
  EXPECT_NE(mask("go [MASK]").refusal({.label = "#6,7", .position = 1}).find("one token"), std::string::npos);
  EXPECT_NE(mask("go [MASK]").refusal({.label = "xyz", .position = 1}).find("tokens of the vocabulary"),
            std::string::npos);
}

}  // namespace
}  // namespace headwater
