// The method around the flow: capacities, rows, notes. The flow itself is tested in mixing/.
#include <cmath>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "methods/method.h"
#include "support/fakes.h"

namespace headwater {
namespace {

ModelInfo four_layers() {
  ModelInfo info;
  info.last().layers = 4;
  info.last().heads = 1;
  info.vocabulary = info.positions = 8;
  info.dtype = DType::Float64;
  return info;
}

// The worked example of the method's authors' definition: W_1 … W_4, A = ½ W + ½ I.
std::unique_ptr<testing::FakeModel> example() {
  auto model = std::make_unique<testing::FakeModel>(four_layers());
  model->logits = Tensor::zeros({2}, DType::Float64);
  const std::vector<std::vector<double>> maps{{.6, .3, .1, .2, .5, .3, .1, .1, .8},
                                              {.2, .2, .6, .7, .2, .1, .3, .4, .3},
                                              {.1, .8, .1, .4, .4, .2, .25, .25, .5},
                                              {.5, .25, .25, .1, .1, .8, .6, .2, .2}};
  for (const auto& map : maps) model->patterns.push_back(Tensor::of({1, 3, 3}, map));
  return model;
}

Attribution flow(const std::map<std::string, std::string>& given) {
  const auto model = example();
  const Study study(*model, {.ids = {{1, 2, 3}}}, {});
  const Method& method = find_method("attention_flow");
  return method.run(study, MethodOptions(method.name, method.options, given));
}

TEST(AttentionFlow, MeetsTheWorkedExample) {
  const Attribution raw = flow({{"normalise", "none"}});
  const std::vector<double> third{.95, .75, .6, .8, .95, .55, .55, .625, 1},
      fourth{.95, .95, .825, .95, .95, 1, .95, .95, 1};
  for (Index i = 0; i < 9; ++i) {
    EXPECT_NEAR(raw.scores().at(18 + i), third[static_cast<std::size_t>(i)], 1e-9) << i;
    EXPECT_NEAR(raw.scores().at(27 + i), fourth[static_cast<std::size_t>(i)], 1e-9) << i;
  }
  const Attribution published = flow({});
  EXPECT_NEAR(published.scores().at(27), .34862385, 1e-8);
  EXPECT_NEAR(published.scores().at(32), .34482759, 1e-8);
  for (const Check& check : published.checks) EXPECT_TRUE(check.passed) << check.name;
  ASSERT_EQ(published.details.size(), 1U);
  EXPECT_EQ(published.details[0].name, "closed_at");
}

TEST(AttentionFlow, AnswersChosenRows) {
  const Attribution some = flow({{"rows", "0 -1"}, {"normalise", "none"}});
  EXPECT_NEAR(some.scores().at(27 + 2), .825, 1e-9);
  EXPECT_TRUE(std::isnan(some.scores().at(27 + 3)));
  EXPECT_NEAR(some.scores().at(27 + 8), 1, 1e-9);
}

TEST(AttentionFlow, RefusesBadOptions) {
  EXPECT_THROW(flow({{"residual", "1"}}), InputError);
  EXPECT_THROW(flow({{"rows", "3"}}), InputError);
  EXPECT_THROW(flow({{"rows", "x"}}), InputError);
  EXPECT_THROW(flow({{"rows", " "}}), InputError);
}

TEST(AttentionFlow, AWeightIsNeededInEveryRow) {
  auto model = example();
  model->patterns[1] = Tensor::zeros({1, 3, 3}, DType::Float64);
  const Study study(*model, {.ids = {{1, 2, 3}}}, {});
  const Method& method = find_method("attention_flow");
  EXPECT_THROW(method.run(study, MethodOptions(method.name, method.options, {{"residual", "0"}})),
               InputError);
}

}  // namespace
}  // namespace headwater
