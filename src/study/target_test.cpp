#include "study/target.h"

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
    const Prediction prediction = read_prediction(fixture.reader, row, encoding, 3);
    return resolve_target(fixture.reader, spec, prediction, encoding, row);
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
  c.encoding = c.fixture.reader.tokenizer->encode("not bad");
  return c;
}

Case vocabulary(Task task, const std::string& text, std::vector<int> positions) {
  Case c{make_fixture(task), {}, {}};
  c.encoding = c.fixture.reader.tokenizer->encode(text);
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
  const std::string message = next.refusal({.label = "un-able"});
  EXPECT_NE(message.find("un ##able"), std::string::npos) << message;
  EXPECT_NE(next.refusal({.label = "#12"}).find("#11"), std::string::npos);
  EXPECT_NE(next.refusal({.label = "#x"}).find("#11"), std::string::npos);
}

TEST(Target, TokenClassifiersStartAtTheFirstWord) {
  Case c{make_fixture(Task::TokenClassification), {}, {}};
  c.encoding = c.fixture.reader.tokenizer->encode("not bad");
  c.row = {Tensor::of({4, 2}, std::vector<double>{0, 9, 5, 0, 0, 5, 0, 9}), {}};
  EXPECT_EQ(c.resolve({}).position, 1);
  EXPECT_EQ(c.resolve({}).label, "NEGATIVE");
  EXPECT_EQ(c.resolve({.position = 2}).label, "POSITIVE");
  EXPECT_NE(c.refusal({.position = 4}).find("0 … 3"), std::string::npos);
}

TEST(Target, AnswersAreStartOrEndOfTheBestSpan) {
  Case c{make_fixture(Task::QuestionAnswering), {}, {}};
  c.encoding = c.fixture.reader.tokenizer->encode("not", "bad at");  // [CLS] not [SEP] bad at [SEP]
  c.row = {Tensor::of({6, 2}, std::vector<double>{0, 0, 0, 0, 0, 0, 3, 0, 0, 2, 0, 0}), {}};
  const Target start = c.resolve({});
  EXPECT_EQ(start.label, "start");
  EXPECT_EQ(start.position, 3);
  EXPECT_EQ(start.logit, 3);
  const Target end = c.resolve({.label = "end"});
  EXPECT_EQ(end.position, 4);
  EXPECT_EQ(end.logit, 2);
  EXPECT_NE(c.refusal({.label = "middle"}).find("start, end"), std::string::npos);
}

TEST(Target, BareModelsHaveNone) {
  Case c{make_fixture(Task::FeatureExtraction), {}, {Tensor::zeros({4, 2}, DType::Float64), {}}};
  c.encoding = c.fixture.reader.tokenizer->encode("not bad");
  EXPECT_EQ(c.resolve({}).label, "");
  EXPECT_NE(c.refusal({.label = "0"}).find("no head"), std::string::npos);
}

}  // namespace
}  // namespace headwater
