#include "explain/objective.h"

#include <cmath>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "support/fakes.h"

namespace headwater {
namespace {

struct Case {
  Task task;
  Tensor logits;
  Target target;
  Problem problem = Problem::SingleLabel;
  Encoding encoding{};
};

// A study of a model that answers with these logits.
struct Subject {
  explicit Subject(const Case& given) : fixture(testing::make_fixture(given.task)) {
    fixture.model->logits = given.logits;
    study.emplace(
        *fixture.model,
        Batch{.ids = {std::vector<int>(
                  static_cast<std::size_t>(given.logits.rank() == 2 ? given.logits.dim(0) : 3), 4)}},
        testing::units_of_text(given.encoding));
    study->problem = given.problem;
    study->special_ids.cls = 0;
    study->aim(given.target);
  }
  testing::Fixture fixture;
  std::optional<Study> study;
};

// ∂F/∂logits by central differences.
void expect_seed_is_the_slope(const Objective& objective, const Tensor& logits,
                              const std::vector<int>& positions) {
  const Tensor seed = objective.seed(logits, positions);
  constexpr double h = 1e-6;
  for (Index i = 0; i < logits.size(); ++i) {
    Tensor up = logits.clone(), down = logits.clone();
    up.data<double>()[i] += h;
    down.data<double>()[i] -= h;
    double slope = 0;
    const auto a = objective.values(up, positions), b = objective.values(down, positions);
    for (std::size_t k = 0; k < a.size(); ++k) slope += (a[k] - b[k]) / (2 * h);
    EXPECT_NEAR(seed.at(i), slope, 1e-8) << i;
  }
}

const Tensor three = Tensor::of({3}, std::vector<double>{1, -0.5, 0.25});
const Tensor batch = Tensor::of({2, 3}, std::vector<double>{1, -0.5, 0.25, 0, 2, -1});

TEST(Objective, LogitsAndTheirContrast) {
  const Subject subject({Task::TextClassification, three, {.position = -1, .index = 2, .contrast = 0}});
  const Objective objective(*subject.study, Quantity::Logit);
  EXPECT_DOUBLE_EQ(objective.value(), -0.75);
  EXPECT_EQ(objective.values(batch, {}), (std::vector<double>{-0.75, -1}));
  EXPECT_EQ(objective.seed(batch, {}).to_doubles(), (std::vector<double>{-1, 0, 1, -1, 0, 1}));
  EXPECT_EQ(objective.seed(subject.study->logits(), {}).to_doubles(),
            subject.study->seed(subject.study->run()).to_doubles());
  EXPECT_TRUE(objective.positions().empty());
}

TEST(Objective, Probabilities) {
  const Subject subject({Task::TextClassification, three, {.position = -1, .index = 1, .contrast = 2}});
  const Objective objective(*subject.study, Quantity::Probability);
  const double sum = std::exp(1) + std::exp(-0.5) + std::exp(0.25);
  EXPECT_NEAR(objective.value(), (std::exp(-0.5) - std::exp(0.25)) / sum, 1e-15);
  expect_seed_is_the_slope(objective, batch, {});
}

TEST(Objective, SigmoidsOfManyLabels) {
  const Subject subject({Task::TextClassification, three, {.position = -1, .index = 1}, Problem::MultiLabel});
  const Objective objective(*subject.study, Quantity::Probability);
  EXPECT_NEAR(objective.value(), 1 / (1 + std::exp(0.5)), 1e-15);
  expect_seed_is_the_slope(objective, batch, {});
}

TEST(Objective, ARegressionHasNoProbability) {
  const Subject subject({Task::TextClassification, three, {.position = -1, .index = 0}, Problem::Regression});
  EXPECT_NO_THROW(Objective(*subject.study, Quantity::Logit));
  EXPECT_THROW(Objective(*subject.study, Quantity::Probability), Unsupported);
}

TEST(Objective, RowsOfTokens) {
  const Tensor rows = Tensor::of({3, 2}, std::vector<double>{1, 2, 3, 5, 8, 13});
  const Subject subject({Task::TokenClassification, rows, {.position = 2, .index = 1}});
  const Objective objective(*subject.study, Quantity::Logit);
  EXPECT_EQ(objective.positions(), std::vector<int>{2});
  EXPECT_DOUBLE_EQ(objective.value(), 13);
  const Tensor one = Tensor::of({1, 1, 2}, std::vector<double>{7, 9});
  EXPECT_EQ(objective.values(one, {1}), std::vector<double>{9}) << "a single row is the target's";
  const Tensor two = Tensor::of({1, 2, 2}, std::vector<double>{7, 9, 11, 13});
  EXPECT_EQ(objective.values(two, {0, 2}), std::vector<double>{13});
  EXPECT_THROW(objective.values(two, {0, 1}), InternalError);
  expect_seed_is_the_slope(Objective(*subject.study, Quantity::Probability), two, {0, 2});
}

TEST(Objective, AnswersRunOverTheContextAndCls) {
  Encoding encoding;
  encoding.tokens = {{.id = 0, .special = true}, {.id = 4}, {.id = 5, .segment = 1}};
  const Tensor rows = Tensor::of({3, 2}, std::vector<double>{1, 2, 30, 5, 2, 0.5});
  const Subject subject(
      {Task::QuestionAnswering, rows, {.position = 2, .index = 0}, Problem::SingleLabel, encoding});
  const Objective objective(*subject.study, Quantity::Probability);
  EXPECT_TRUE(objective.over_tokens());
  EXPECT_TRUE(objective.positions().empty());
  EXPECT_NEAR(objective.value(), std::exp(2) / (std::exp(1) + std::exp(2)), 1e-15)
      << "the question's token takes no part";
  expect_seed_is_the_slope(objective, rows.reshaped({1, 3, 2}), {});
}

// An answer and another one, on five tokens of which the last three are the context.
Case two_answers() {
  Encoding encoding;
  encoding.tokens = {{.id = 0, .special = true},
                     {.id = 4},
                     {.id = 5, .segment = 1},
                     {.id = 6, .segment = 1},
                     {.id = 7, .segment = 1}};
  const Tensor rows = Tensor::of({5, 2}, std::vector<double>{1, 2, 30, 5, 2, 0.5, -1, 1.5, 0.25, 3});
  return {Task::QuestionAnswering, rows,
          Target{.position = 2, .contrast = 0, .span = TokenRange{2, 4}, .contrast_span = TokenRange{3, 3}},
          Problem::SingleLabel, encoding};
}

TEST(Objective, AnswersAsSumsOfLogits) {
  const Case given = two_answers();
  const Subject subject(given);
  const Objective objective(*subject.study, Quantity::Logit);
  EXPECT_DOUBLE_EQ(objective.value(), (2 + 3) - (-1 + 1.5));
  EXPECT_DOUBLE_EQ(subject.study->target_logit(subject.study->logits()), objective.value());
  const std::vector<double> seed{0, 0, 0, 0, 1, 0, -1, -1, 0, 1};
  EXPECT_EQ(subject.study->seed(subject.study->run()).to_doubles(), seed);
  EXPECT_EQ(objective.seed(subject.study->logits(), {}).to_doubles(), seed);
  EXPECT_EQ(objective.positions(), (std::vector<int>{2, 4, 3, 3}));
  const Tensor in_turn = Tensor::of({1, 4, 2}, std::vector<double>{2, 0.5, 0.25, 3, -1, 1.5, -1, 1.5});
  EXPECT_DOUBLE_EQ(objective.values(in_turn, {1, 3, 2, 2}).front(), objective.value())
      << "the terms' rows in turn, wherever they stand";
  expect_seed_is_the_slope(objective, in_turn, {1, 3, 2, 2});
}

TEST(Objective, AnswersAsProductsOfProbabilities) {
  const Case given = two_answers();
  const Subject subject(given);
  const Objective objective(*subject.study, Quantity::Probability);
  const double starts = std::exp(1) + std::exp(2) + std::exp(-1) + std::exp(0.25);
  const double ends = std::exp(2) + std::exp(0.5) + std::exp(1.5) + std::exp(3);
  EXPECT_NEAR(objective.value(), (std::exp(2) * std::exp(3) - std::exp(-1) * std::exp(1.5)) / (starts * ends),
              1e-15);
  expect_seed_is_the_slope(objective, given.logits.reshaped({1, 5, 2}), {});
}

// Rows 1 and 2 predict tokens 2 and 0; the contrast is token 1 at row 1.
TEST(Objective, SeveralTokensAreTheSumOfTheirLogProbabilities) {
  const std::vector<double> z{9, 9, 9, 1, -0.5, 0.25, 0, 2, -1};
  const double first = std::exp(1) + std::exp(-0.5) + std::exp(0.25), second = 1 + std::exp(2) + std::exp(-1);
  Target target{.position = 1, .index = 2, .tokens = {2, 0}};
  const Tensor rows = Tensor::of({3, 3}, z),
               read =
                   Tensor::of({2, 2, 3}, std::vector<double>{1, -0.5, 0.25, 0, 2, -1, 0.5, 0.5, -2, 1, 0, 3});
  {
    const Subject subject({Task::TextGeneration, rows, target});
    const Objective objective(*subject.study, Quantity::Logit);
    EXPECT_NEAR(objective.value(), 0.25 - std::log(first) + 0 - std::log(second), 1e-14);
    EXPECT_EQ(objective.positions(), (std::vector<int>{1, 2}));
    EXPECT_NEAR(objective.values(read, {1, 2})[0], objective.value(), 1e-14);
    expect_seed_is_the_slope(objective, read, {1, 2});
    const Objective product(*subject.study, Quantity::Probability);
    EXPECT_NEAR(product.value(), std::exp(0.25) / first / second, 1e-15);
    expect_seed_is_the_slope(product, read, {1, 2});
  }
  target.contrast = 1;
  const Subject subject({Task::TextGeneration, rows, target});
  const Objective objective(*subject.study, Quantity::Logit);
  EXPECT_NEAR(objective.value(), 0.25 - std::log(second) + 0.5, 1e-14) << "both shares of row 1 have its sum";
  EXPECT_EQ(objective.positions(), (std::vector<int>{1, 2, 1}));
  const Tensor in_turn = Tensor::of({1, 3, 3}, std::vector<double>{1, -0.5, 0.25, 0, 2, -1, 1, -0.5, 0.25});
  EXPECT_NEAR(objective.values(in_turn, {1, 2, 1})[0], objective.value(), 1e-14);
  expect_seed_is_the_slope(objective, in_turn, {1, 2, 1});
}

}  // namespace
}  // namespace headwater
