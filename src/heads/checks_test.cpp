#include "heads/checks.h"

#include <cmath>

#include <gtest/gtest.h>

#include "support/worked_models.h"

namespace headwater {
namespace {

TEST(KeepWorst, KeepsOneOfEachNameNearestToItsBound) {
  std::vector<Check> checks;
  keep_worst(checks, check_within("a", 1, 10));
  keep_worst(checks, check_within("b", 0, 0));
  keep_worst(checks, check_within("a", 2, 100));  // less of its bound
  keep_worst(checks, check_within("a", 3, 10));
  keep_worst(checks, check_within("b", 2, 0));
  keep_worst(checks, check_within("b", 1, 0));
  ASSERT_EQ(checks.size(), 2U);
  EXPECT_EQ(checks[0].value, 3);
  EXPECT_TRUE(checks[0].passed);
  EXPECT_EQ(checks[1].value, 2);
  EXPECT_FALSE(checks[1].passed);
}

TEST(CheckSameClasses, CountsTheDifferentOnes) {
  EXPECT_TRUE(check_same_classes("same", {1, 0, 2}, {1, 0, 2}).passed);
  const Check check = check_same_classes("same", {1, 0, 2}, {1, 2, 0});
  EXPECT_FALSE(check.passed);
  EXPECT_EQ(check.value, 2);
}

// The derivative in a factor of one head's pattern is ⟨A, ∂F/∂A⟩; one that is off by a tenth does not pass.
TEST(CheckSlope, TellsARightGradientFromAWrongOne) {
  const testing::WorkedModel worked = testing::worked_bert();
  Study study(*worked.model, worked.batch, {});
  study.aim({.position = -1, .index = 0});
  const headwater::Run& run = study.run();
  const Signals signals = run.tape->pull(run.logits, study.seed(run), rules::gradient, {{Site::Pattern, 0}});
  const Tensor pattern = run.at(Site::Pattern, 0);
  const Tensor& slope = signals.at(Site::Pattern, 0);
  const Index cells = pattern.dim(2) * pattern.dim(3);
  double product = 0;
  for (Index c = cells; c < 2 * cells; ++c) product += pattern.at(c) * slope.at(c);
  ASSERT_GT(std::abs(product), 1e-6);
  const Scaled part{{Site::Pattern, 0}, cells, cells};
  const auto logit = [](const Tensor& logits) { return logits.at(0); };
  EXPECT_TRUE(check_slope(study, part, product, logit).passed);
  EXPECT_FALSE(check_slope(study, part, 1.1 * product, logit).passed);
  EXPECT_FALSE(check_slope(study, part, -product, logit).passed);
  EXPECT_TRUE(check_slope(study, part, 0, logit).passed) << "nothing to compare";
}

}  // namespace
}  // namespace headwater
