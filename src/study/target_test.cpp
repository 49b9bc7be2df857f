#include "study/target.h"

#include <cmath>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "support/fakes.h"

namespace headwater {
namespace {

using testing::make_fixture;

struct Case {
  testing::Fixture fixture;
  Encoding encoding;
  Row row;

  Target resolve(const TargetSpec& spec) const {
    const Prediction prediction = read_prediction(fixture.loaded, row, testing::prepared_text(encoding), 3);
    return resolve_target(fixture.loaded, spec, prediction, encoding, row);
  }
  std::string refusal(const TargetSpec& spec) const {
    try {
      resolve(spec);
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing was thrown";
  }
};

Case classifier() {
  Case c{make_fixture(Task::TextClassification), {}, {Tensor::of({2}, std::vector<double>{-1, 2}), {}}};
  c.encoding = c.fixture.loaded.tokenizer->encode("not bad");
  return c;
}

Case vocabulary(Task task, const std::string& text, std::vector<int> positions) {
  Case c{make_fixture(task), {}, {}};
  c.encoding = c.fixture.loaded.tokenizer->encode(text);
  const auto rows = static_cast<Index>(positions.size());
  std::vector<double> z;
  for (Index r = 0; r < rows; ++r)
    for (int k = 0; k < 12; ++k) z.push_back(k == 8 + r ? 3.0 : 0.1 * k);
  c.row = {Tensor::of({rows, 12}, z), std::move(positions)};
  return c;
}

TEST(Target, EmptyMeansThePrediction) {
  const Target target = classifier().resolve({});
  EXPECT_EQ(target.position, -1);
  EXPECT_EQ(target.index, 1);
  EXPECT_EQ(target.label, "POSITIVE");
  EXPECT_EQ(target.logit, 2);
  EXPECT_NEAR(target.probability, 0.9525741268224334, 1e-15);
  EXPECT_FALSE(target.contrast);
}

TEST(Target, LabelsByNameCaseAndIndex) {
  EXPECT_EQ(classifier().resolve({.label = "NEGATIVE"}).index, 0);
  EXPECT_EQ(classifier().resolve({.label = "negative"}).index, 0);
  EXPECT_EQ(classifier().resolve({.label = "0"}).index, 0);
  const std::string message = classifier().refusal({.label = "neutral"});
  EXPECT_NE(message.find("NEGATIVE, POSITIVE"), std::string::npos) << message;
  EXPECT_NE(message.find("neutral"), std::string::npos) << message;
  EXPECT_NE(classifier().refusal({.label = "2"}).find("0 … 1"), std::string::npos);
}

TEST(Target, ContrastIsADifference) {
  const Target target = classifier().resolve({.contrast = "NEGATIVE"});
  EXPECT_EQ(target.contrast, 0);
  EXPECT_EQ(target.logit, 3);
  EXPECT_NEAR(target.probability, 0.9525741268224334 - 0.0474258731775666, 1e-15);
  EXPECT_NE(classifier().refusal({.contrast = "POSITIVE"}).find("twice"), std::string::npos);
}

TEST(Target, SequenceHeadsHaveNoPosition) {
  EXPECT_NE(classifier().refusal({.position = 1}).find("one row"), std::string::npos);
}

TEST(Target, MasksFirstAndAnyRowThatWasComputed) {
  const Case masks = vocabulary(Task::FillMask, "not [MASK] at [MASK]", {2, 4});
  EXPECT_EQ(masks.resolve({}).position, 2);
  EXPECT_EQ(masks.resolve({}).label, "good");
  EXPECT_EQ(masks.resolve({.position = 4}).index, 9);
  EXPECT_NE(masks.refusal({.position = 1}).find("position"), std::string::npos);
}

TEST(Target, TokensByPieceTextAndId) {
  const Case next = vocabulary(Task::TextGeneration, "not bad", {3});
  EXPECT_EQ(next.resolve({}).position, 3);
  EXPECT_EQ(next.resolve({.label = "film"}).index, 11);
  EXPECT_EQ(next.resolve({.label = " film "}).index, 11) << "a text that encodes to one token";
  EXPECT_EQ(next.resolve({.label = "##able"}).index, 10);
  EXPECT_EQ(next.resolve({.label = "#5"}).label, "bad");
  const Case mask = vocabulary(Task::FillMask, "not [MASK]", {2});
  const std::string message = mask.refusal({.label = "un-able"});
  EXPECT_NE(message.find("un ##able"), std::string::npos) << message;
  EXPECT_NE(next.refusal({.label = "#12"}).find("#11"), std::string::npos);
  EXPECT_NE(next.refusal({.label = "#x"}).find("#11"), std::string::npos);
}

TEST(Target, TokenClassifiersStartAtTheFirstWord) {
  Case c{make_fixture(Task::TokenClassification), {}, {}};
  c.encoding = c.fixture.loaded.tokenizer->encode("not bad");
  c.row = {Tensor::of({4, 2}, std::vector<double>{0, 9, 5, 0, 0, 5, 0, 9}), {}};
  EXPECT_EQ(c.resolve({}).position, 1);
  EXPECT_EQ(c.resolve({}).label, "NEGATIVE");
  EXPECT_EQ(c.resolve({.position = 2}).label, "POSITIVE");
  EXPECT_NE(c.refusal({.position = 4}).find("0 … 3"), std::string::npos);
}

// [CLS] not [SEP] bad at [SEP]
Case answers() {
  Case c{make_fixture(Task::QuestionAnswering), {}, {}};
  c.encoding = c.fixture.loaded.tokenizer->encode("not", "bad at");
  c.row = {Tensor::of({6, 2}, std::vector<double>{0, 0, 0, 0, 0, 0, 3, 0, 0, 2, 0, 0}), {}};
  return c;
}

TEST(Target, StartOrEndOfTheBestAnswer) {
  const Case c = answers();
  const Target start = c.resolve({.label = "start"});
  EXPECT_EQ(start.label, "start");
  EXPECT_FALSE(start.span);
  EXPECT_EQ(start.position, 3);
  EXPECT_EQ(start.logit, 3);
  const Target end = c.resolve({.label = "end"});
  EXPECT_EQ(end.position, 4);
  EXPECT_EQ(end.logit, 2);
  EXPECT_EQ(c.resolve({.position = 4}).label, "end") << "what the prediction reads there";
  EXPECT_EQ(c.resolve({.label = "start", .position = 4}).logit, 0);
  EXPECT_NE(c.refusal({.label = "middle"}).find("start, end, span"), std::string::npos);
}

TEST(Target, WholeAnswers) {
  const Case c = answers();
  // Softmaxes over [CLS], bad and at: start e³ / (e³ + 2) at bad, end e² / (e² + 2) at at.
  const double start = std::exp(3) / (std::exp(3) + 2), end = std::exp(2) / (std::exp(2) + 2);
  for (const char* name : {"", "span", "3-4", "bad at", "ad a"}) {
    const Target answer = c.resolve({.label = name});
    ASSERT_TRUE(answer.span) << name;
    EXPECT_EQ(answer.span->first, 3) << name;
    EXPECT_EQ(answer.span->last, 4) << name;
    EXPECT_EQ(answer.position, 3);
    EXPECT_EQ(answer.label, "bad at");
    EXPECT_EQ(answer.logit, 5);
    EXPECT_NEAR(answer.probability, start * end, 1e-15);
  }
  const Target one = c.resolve({.label = "at"});
  EXPECT_EQ(one.span->first, 4);
  EXPECT_EQ(one.span->last, 4);
  EXPECT_EQ(one.logit, 2);
}

TEST(Target, ATextThatStandsTwiceIsTheLikelier) {
  Case c{make_fixture(Task::QuestionAnswering), {}, {}};
  c.encoding = c.fixture.loaded.tokenizer->encode("not", "at bad at");  // [CLS] not [SEP] at bad at [SEP]
  c.row = {Tensor::of({7, 2}, std::vector<double>{0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 2, 0, 0}), {}};
  EXPECT_EQ(c.resolve({.label = "at"}).span->first, 5);
}

TEST(Target, AContrastOfTwoAnswers) {
  const Case c = answers();
  const Target target = c.resolve({.contrast = "at"});
  ASSERT_TRUE(target.contrast && target.contrast_span);
  EXPECT_EQ(target.contrast_span->first, 4);
  EXPECT_EQ(target.contrast_label, "at");
  EXPECT_EQ(target.logit, 5 - 2);
  const double end = std::exp(2) / (std::exp(2) + 2);
  EXPECT_NEAR(target.probability, (std::exp(3) - 1) / (std::exp(3) + 2) * end, 1e-15);
  EXPECT_NE(c.refusal({.contrast = "bad at"}).find("twice"), std::string::npos);
  EXPECT_NE(c.refusal({.contrast = "end"}).find("another answer"), std::string::npos);
}

TEST(Target, AnswersLieInsideTheContext) {
  const Case c = answers();
  for (const char* outside : {"1-3", "3-5", "4-3", "3-9"})
    EXPECT_NE(c.refusal({.label = outside}).find("3 … 4"), std::string::npos) << outside;
  EXPECT_NE(c.refusal({.label = "span", .position = 3}).find("position"), std::string::npos);
}

TEST(Target, BareModelsHaveNone) {
  Case c{make_fixture(Task::FeatureExtraction), {}, {Tensor::zeros({4, 2}, DType::Float64), {}}};
  c.encoding = c.fixture.loaded.tokenizer->encode("not bad");
  EXPECT_EQ(c.resolve({}).label, "");
  EXPECT_NE(c.refusal({.label = "0"}).find("no head"), std::string::npos);
}

}  // namespace
}  // namespace headwater
