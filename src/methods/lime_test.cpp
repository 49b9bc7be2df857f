// On a game that is linear but for one product (support/sum_model.h).
#include <cmath>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "methods/method.h"
#include "support/sum_model.h"

namespace headwater {
namespace {

using testing::SumModel;

Attribution explain(const std::map<std::string, std::string>& options, std::vector<int> ids,
                    Task task = Task::TextClassification, std::size_t scratch = default_scratch) {
  const SumModel model(task);
  Study study(model, Batch{.ids = {std::move(ids)}}, {});
  study.special_ids.mask = SumModel::mask;
  study.scratch = scratch;
  study.aim({.position = task == Task::TextClassification ? -1 : 0, .index = 0});
  const Method& method = find_method("lime");
  return method.run(study, MethodOptions(method.name, method.options, options));
}

TEST(Lime, FindsALinearGameExactlyWithoutRidge) {
  // Row 0 of the token-wise head: 2 e₀ + e₁ + e₂ + e₃.
  const Attribution result =
      explain({{"ridge", "0"}, {"replace", "zero"}}, {2, 3, 4, 5}, Task::TokenClassification);
  const std::vector<double> expected{24, 13, 14, 15};
  for (Index t = 0; t < 4; ++t)
    EXPECT_NEAR(result.scores().at(t), expected[static_cast<std::size_t>(t)], 1e-9) << t;
  EXPECT_NEAR(result.details[1].values.at(0), 1, 1e-12);
  for (const Check& check : result.checks) EXPECT_TRUE(check.passed) << check.name << " " << check.value;
}

TEST(Lime, SaysHowMuchTheLinearModelMisses) {
  const Attribution result = explain({{"kernel_width", "25"}}, {2, 3, 4, 5});
  EXPECT_LT(result.details[1].values.at(0), 0.999);
  EXPECT_GT(result.details[1].values.at(0), 0.5);
  EXPECT_GT(result.details[0].values.at(0), 0);
  EXPECT_GT(result.scores().at(0), result.scores().at(2));
}

TEST(Lime, SeedsDecideAndBatchesDoNot) {
  const std::vector<int> ids{2, 3, 4, 5, 6, 7, 8};
  const auto first = explain({{"samples", "60"}}, ids).scores().to_doubles();
  EXPECT_EQ(first, explain({{"samples", "60"}}, ids, Task::TextClassification, 0).scores().to_doubles());
  EXPECT_NE(first, explain({{"samples", "60"}, {"seed", "5"}}, ids).scores().to_doubles());
}

TEST(Lime, RefusesOptionsOutOfRange) {
  const std::vector<int> ids{2, 3, 4};
  EXPECT_THROW(explain({{"samples", "1"}}, ids), InputError);
  EXPECT_THROW(explain({{"samples", "2"}, {"ridge", "0"}}, ids), InputError);
  EXPECT_THROW(explain({{"kernel_width", "0"}}, ids), InputError);
  EXPECT_THROW(explain({{"ridge", "-1"}}, ids), InputError);
  EXPECT_THROW(explain({{"seed", "-1"}}, ids), InputError);
}

}  // namespace
}  // namespace headwater
