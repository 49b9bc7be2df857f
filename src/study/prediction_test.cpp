#include "study/prediction.h"

#include <cmath>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "support/fakes.h"

namespace headwater {
namespace {

using testing::make_fixture;

Row row_of_values(Shape shape, std::vector<double> values, std::vector<int> positions = {}) {
  return {Tensor::of(std::move(shape), values), std::move(positions)};
}

TEST(Prediction, LogitsOfOnePosition) {
  const Tensor rows = Tensor::of({2, 3}, std::vector<double>{1, 2, 3, 4, 5, 6}, DType::Float64);
  EXPECT_EQ(logits_at({rows, {4, 7}}, 7), (std::vector<double>{4, 5, 6}));
  EXPECT_EQ(logits_at({rows, {}}, 0), (std::vector<double>{1, 2, 3}));
  const Tensor one = Tensor::of({2}, std::vector<double>{-1, 1}, DType::Float64);
  EXPECT_EQ(logits_at({one, {}}, -1), (std::vector<double>{-1, 1}));
}

TEST(Softmax, IsStableAndSumsToOne) {
  // 1 / (1 + e^-1) and its complement, from the definition of the logistic function.
  const auto p = softmax(std::vector<double>{1000, 1001});
  EXPECT_NEAR(p[0], 0.2689414213699951, 1e-15);
  EXPECT_NEAR(p[0] + p[1], 1, 1e-15);
  EXPECT_TRUE(softmax({}).empty());
}

TEST(Prediction, ClassifiersKeepAllLabelsBestFirst) {
  const auto fixture = make_fixture(Task::TextClassification);
  const Encoding encoding = fixture.loaded.tokenizer->encode("not bad");
  const Prediction p =
      read_prediction(fixture.loaded, row_of_values({2}, {-1, 2}), testing::prepared_text(encoding), 1);
  ASSERT_EQ(p.outcomes.size(), 1U);
  EXPECT_EQ(p.outcomes[0].position, -1);
  ASSERT_EQ(p.outcomes[0].top.size(), 2U);
  EXPECT_EQ(p.outcomes[0].top[0].label, "POSITIVE");
  EXPECT_NEAR(p.outcomes[0].top[0].probability, 0.9525741268224334, 1e-15);
  EXPECT_EQ(p.logits, (std::vector<double>{-1, 2}));
  EXPECT_EQ(p.units.size(), 4U);
}

TEST(Prediction, MultiLabelUsesASigmoidAndRegressionNone) {
  auto fixture = make_fixture(Task::TextClassification);
  fixture.loaded.problem = Problem::MultiLabel;
  const Encoding encoding = fixture.loaded.tokenizer->encode("not");
  const Prediction multi =
      read_prediction(fixture.loaded, row_of_values({2}, {0, 2}), testing::prepared_text(encoding), 5);
  EXPECT_NEAR(multi.outcomes[0].top[0].probability, 0.8807970779778823, 1e-15);
  EXPECT_NEAR(multi.outcomes[0].top[1].probability, 0.5, 1e-15);
  fixture.loaded.problem = Problem::Regression;
  const Prediction score =
      read_prediction(fixture.loaded, row_of_values({2}, {0, 2}), testing::prepared_text(encoding), 5);
  EXPECT_TRUE(std::isnan(score.outcomes[0].top[0].probability));
  EXPECT_EQ(score.outcomes[0].top[0].logit, 2);
}

TEST(Prediction, VocabularyHeadsKeepTheBestFewOfEveryRow) {
  const auto fixture = make_fixture(Task::FillMask);
  const Encoding encoding = fixture.loaded.tokenizer->encode("not [MASK] [MASK]");
  std::vector<double> z(24, 0.0);
  z[5] = 3;       // row 0: "bad"
  z[12 + 8] = 4;  // row 1: "good"
  z[12 + 4] = 4;  // equal: the lower index first
  const Prediction p =
      read_prediction(fixture.loaded, row_of_values({2, 12}, z, {2, 3}), testing::prepared_text(encoding), 2);
  ASSERT_EQ(p.outcomes.size(), 2U);
  EXPECT_EQ(p.outcomes[0].position, 2);
  EXPECT_EQ(p.outcomes[0].top.size(), 2U);
  EXPECT_EQ(p.outcomes[0].top[0].label, "bad");
  EXPECT_NEAR(p.outcomes[0].top[0].probability, std::exp(3.0) / (std::exp(3.0) + 11), 1e-15);
  EXPECT_EQ(p.outcomes[1].top[0].index, 4);
  EXPECT_EQ(p.outcomes[1].top[1].index, 8);
  EXPECT_TRUE(p.logits.empty());
  EXPECT_THROW(
      read_prediction(fixture.loaded, row_of_values({2, 12}, z, {2, 3}), testing::prepared_text(encoding), 0),
      InputError);
}

TEST(Prediction, BareModelsGiveTheirHiddenStates) {
  const auto fixture = make_fixture(Task::FeatureExtraction);
  const Encoding encoding = fixture.loaded.tokenizer->encode("not");
  const Prediction p = read_prediction(fixture.loaded, row_of_values({3, 2}, {1, 2, 3, 4, 5, 6}),
                                       testing::prepared_text(encoding), 5);
  EXPECT_EQ(p.hidden.shape(), (Shape{3, 2}));
  EXPECT_TRUE(p.outcomes.empty());
}

// Tokens: [CLS] not [SEP] bad un able at [SEP]; the context is 3 … 6.
struct Answers {
  testing::Fixture fixture = make_fixture(Task::QuestionAnswering);
  Encoding encoding = fixture.loaded.tokenizer->encode("not", "bad un-able at");
  std::vector<double> z = std::vector<double>(16, 0.0);
  void start(int t, double v) { z[static_cast<std::size_t>(t) * 2] = v; }
  void end(int t, double v) { z[static_cast<std::size_t>(t) * 2 + 1] = v; }
  Tensor logits() const { return Tensor::of({8, 2}, z); }
};

TEST(Answer, LiesInTheContextAndIsWidenedToWords) {
  Answers a;
  a.start(1, 9);  // the question may not answer
  a.start(5, 4);
  a.end(5, 4);
  a.end(3, 5);  // before the start
  const Span span = best_answer(a.logits(), a.encoding, a.fixture.loaded);
  EXPECT_EQ(span.first_token, 5);
  EXPECT_EQ(span.last_token, 5);
  EXPECT_EQ(span.text, "un-able");
  // Softmax over the four context tokens and [CLS]: e^4 / (e^4 + 4), e^4 / (e^4 + e^5 + 3).
  const double p = std::exp(4.0) / (std::exp(4.0) + 4) * std::exp(4.0) / (std::exp(4.0) + std::exp(5.0) + 3);
  EXPECT_NEAR(span.probability, p, 1e-12);
}

TEST(Answer, IsAtMostThirtyTokensLong) {
  Answers a;
  std::string context;
  for (int i = 0; i < 40; ++i) context += "bad ";
  a.encoding = a.fixture.loaded.tokenizer->encode("not", context);
  a.z.assign(a.encoding.tokens.size() * 2, 0.0);
  a.start(3, 8);
  a.end(40, 8);
  a.end(32, 3);  // the thirtieth token from the start on
  const Tensor logits = Tensor::of({static_cast<Index>(a.encoding.tokens.size()), 2}, a.z);
  const Span span = best_answer(logits, a.encoding, a.fixture.loaded);
  EXPECT_EQ(span.first_token, 3);
  EXPECT_EQ(span.last_token, 32);
}

TEST(Answer, NeedsAContext) {
  Answers a;
  a.encoding = a.fixture.loaded.tokenizer->encode("not bad", "");
  EXPECT_THROW(best_answer(Tensor::zeros({5, 2}, DType::Float64), a.encoding, a.fixture.loaded), InputError);
}

TEST(Answer, OutcomesAreItsStartAndEnd) {
  Answers a;
  a.start(3, 2);
  a.end(6, 1);
  const Prediction p =
      read_prediction(a.fixture.loaded, {a.logits(), {}}, testing::prepared_text(a.encoding), 5);
  ASSERT_TRUE(p.answer);
  EXPECT_EQ(p.answer->text, "bad un-able at");
  ASSERT_EQ(p.outcomes.size(), 2U);
  EXPECT_EQ(p.outcomes[0].position, 3);
  EXPECT_EQ(p.outcomes[0].top[0].label, "start");
  EXPECT_NEAR(p.outcomes[0].top[0].probability, std::exp(2.0) / (std::exp(2.0) + 4), 1e-12);
  EXPECT_EQ(p.outcomes[1].position, 6);
}

}  // namespace
}  // namespace headwater
