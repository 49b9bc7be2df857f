// Shapley values by hand (support/sum_model.h): with e′ the replacement's, the sum gives each token e − e′,
// and the product 2 e₀ e₁ gives token 0 (e₀ − e′)(e₁ + e′), token 1 (e₁ − e′)(e₀ + e′).
#include <cmath>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "methods/method.h"
#include "support/sum_model.h"

namespace headwater {
namespace {

using testing::SumModel;

Attribution explain(const std::map<std::string, std::string>& options, std::vector<int> ids = {2, 3, 4},
                    std::size_t scratch = default_scratch) {
  const SumModel model;
  Study study(model, Batch{.ids = {std::move(ids)}}, {});
  study.special_ids.mask = SumModel::mask;
  study.scratch = scratch;
  study.aim({.position = -1, .index = 0});
  const Method& method = find_method("kernel_shap");
  return method.run(study, MethodOptions(method.name, method.options, options));
}

void expect_checks(const Attribution& result) {
  for (const Check& check : result.checks) EXPECT_TRUE(check.passed) << check.name << " " << check.value;
}

TEST(KernelShap, EnumeratesSmallGamesExactly) {
  const Attribution result = explain({});
  const std::vector<double> expected{11 + 11 * 14, 12 + 12 * 13, 13};
  for (Index t = 0; t < 3; ++t)
    EXPECT_NEAR(result.scores().at(t), expected[static_cast<std::size_t>(t)], 1e-10) << t;
  expect_checks(result);
  EXPECT_NE(result.notes[0].find("all 8 coalitions of 3 units"), std::string::npos);
  EXPECT_EQ(result.details[0].name, "standard_error");
  EXPECT_EQ(result.details[0].values.to_doubles(), (std::vector<double>{0, 0, 0}));
}

const std::vector<int> twelve{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};

// A draw together with its complement makes products of two exact (Covert and Lee, 2021).
TEST(KernelShap, PairsOfCoalitionsFindProductsOfTwo) {
  const Attribution result = explain({{"samples", "200"}, {"replace", "zero"}}, twelve);
  expect_checks(result);
  double sum = 0;
  for (Index t = 0; t < 12; ++t) {
    const double expected = 12.0 + static_cast<double>(t) + (t < 2 ? 12 * 13 : 0);
    EXPECT_NEAR(result.scores().at(t), expected, 1e-9) << t;
    EXPECT_NEAR(result.details[0].values.at(t), 0, 1e-5) << t;
    sum += result.scores().at(t);
  }
  EXPECT_NEAR(sum, 12 * 17.5 + 2 * 12 * 13, 1e-9);
  EXPECT_LT(result.details[1].values.at(0), 1) << "an additive model misses the product";
}

TEST(KernelShap, SeedsDecideAndBatchesDoNot) {
  const std::map<std::string, std::string> options{{"samples", "300"}};
  const auto r_squared = [](const Attribution& result) { return result.details.at(1).values.at(0); };
  const Attribution first = explain(options, twelve);
  EXPECT_EQ(first.scores().to_doubles(), explain(options, twelve, 0).scores().to_doubles());
  EXPECT_NE(r_squared(first), r_squared(explain({{"samples", "300"}, {"seed", "1"}}, twelve)));
}

TEST(KernelShap, RefusesTooFewSamplesAndBadSeeds) {
  EXPECT_THROW(explain({{"samples", "3"}}), InputError);
  EXPECT_THROW(explain({{"samples", "4"}}, twelve), InputError);
  EXPECT_THROW(explain({{"samples", "8"}}, twelve), InputError);
  EXPECT_THROW(explain({{"seed", "-1"}}), InputError);
}

}  // namespace
}  // namespace headwater
