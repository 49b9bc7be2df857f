#include <cmath>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "methods/method.h"
#include "support/fakes.h"

namespace headwater {
namespace {

using testing::make_fixture;

// One head and three tokens unless said otherwise.
Attribution explain(const std::vector<std::vector<double>>& layers,
                    const std::map<std::string, std::string>& options, bool causal = false, Index heads = 1,
                    Index tokens = 3) {
  ModelInfo info = make_fixture(Task::TextClassification).model->info();
  info.last().layers = static_cast<int>(layers.size());
  info.last().heads = static_cast<int>(heads);
  info.last().causal = causal;
  testing::FakeModel model(info);
  model.logits = Tensor::zeros({2}, DType::Float64);
  for (const auto& layer : layers) model.patterns.push_back(Tensor::of({heads, tokens, tokens}, layer));
  const Study study(model, Batch{.ids = {std::vector<int>(static_cast<std::size_t>(tokens), 4)}}, {});
  const Method& method = find_method("attention_rollout");
  return method.run(study, MethodOptions(method.name, method.options, options));
}

void expect_layer(const Attribution& result, Index layer, const std::vector<double>& expected,
                  double tolerance) {
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(result.scores().at(layer * static_cast<Index>(expected.size()) + static_cast<Index>(i)),
                expected[i], tolerance)
        << "layer " << layer << " cell " << i;
}

const std::vector<std::vector<double>> two{{.6, .3, .1, .2, .5, .3, .1, .1, .8},
                                           {.2, .2, .6, .7, .2, .1, .3, .4, .3}};

TEST(AttentionRollout, MultipliesTheLayersByHand) {
  const Attribution result = explain(two, {});
  // ½W + ½I, and the product of the two, worked out on paper.
  expect_layer(result, 0, {.8, .15, .05, .1, .75, .15, .05, .05, .9}, 1e-15);
  expect_layer(result, 1, {.505, .18, .315, .3425, .505, .1525, .1725, .205, .6225}, 1e-15);
  for (const Check& check : result.checks) EXPECT_TRUE(check.passed) << check.name;
}

TEST(AttentionRollout, ResidualIsAShareOfTheRow) {
  expect_layer(explain(two, {{"residual", "0"}}), 0, two[0], 1e-15);
  expect_layer(explain(two, {{"residual", "0.75"}}), 0, {.9, .075, .025, .05, .875, .075, .025, .025, .95},
               1e-15);
}

TEST(AttentionRollout, StartsAtALayerAndIsTheIdentityBelow) {
  const Attribution result = explain(two, {{"start_layer", "1"}});
  expect_layer(result, 0, {1, 0, 0, 0, 1, 0, 0, 0, 1}, 0);
  expect_layer(result, 1, {.6, .1, .3, .35, .6, .05, .15, .2, .65}, 1e-15);
  EXPECT_NE(result.notes.back().find("below 1"), std::string::npos);
}

TEST(AttentionRollout, FusesHeadsAndDividesByTheRowSum) {
  const std::vector<std::vector<double>> heads{{.75, .25, .5, .5, .25, .75, .5, .5}};
  expect_layer(explain(heads, {{"residual", "0"}, {"fusion", "mean"}}, false, 2, 2), 0, {.5, .5, .5, .5},
               1e-15);
  expect_layer(explain(heads, {{"residual", "0"}, {"fusion", "max"}}, false, 2, 2), 0, {.5, .5, .5, .5},
               1e-15);
  // (max + I) over its row sum 2.5: (1.75, .75) and (.5, 1.5) / 2.
  expect_layer(explain(heads, {{"fusion", "max"}}, false, 2, 2), 0, {.7, .3, .25, .75}, 1e-15);
  expect_layer(explain(heads, {{"fusion", "min"}}, false, 2, 2), 0, {1.25 / 1.5, .25 / 1.5, .25, .75}, 1e-15);
}

TEST(AttentionRollout, DiscardsTheSmallestAllowedCells) {
  // A third of nine cells: both .1 of the last row and the .1 of the first; rows are divided again.
  const Attribution result = explain({two[0]}, {{"discard_ratio", "0.34"}});
  expect_layer(result, 0, {1.6 / 1.9, .3 / 1.9, 0, .1, .75, .15, 0, 0, 1}, 1e-15);
  // Causal: three allowed cells of which one is dropped.
  const Attribution causal = explain({{1, 0, .25, .75}}, {{"discard_ratio", "0.34"}}, true, 1, 2);
  EXPECT_NEAR(causal.scores().at(2), 0, 1e-15);
  EXPECT_NEAR(causal.scores().at(3), 1, 1e-15);
  EXPECT_TRUE(std::isnan(causal.scores().at(1)));
}

TEST(AttentionRollout, SaysWhereACausalRowDrifts) {
  const Attribution result =
      explain({{1, 0, 0, .9, .1, 0, .9, 0, .1}, {1, 0, 0, .9, .1, 0, .9, 0, .1}}, {}, true);
  EXPECT_NE(result.notes.back().find("token 0"), std::string::npos);
  EXPECT_EQ(result.checks.size(), 3U);
}

TEST(AttentionRollout, RefusesOptionsOutsideTheirRange) {
  EXPECT_THROW(explain(two, {{"residual", "1"}}), InputError);
  EXPECT_THROW(explain(two, {{"residual", "-0.1"}}), InputError);
  EXPECT_THROW(explain(two, {{"discard_ratio", "1"}}), InputError);
  EXPECT_THROW(explain(two, {{"discard_ratio", "-0.5"}}), InputError);
  EXPECT_THROW(explain(two, {{"start_layer", "2"}}), InputError);
  EXPECT_THROW(explain(two, {{"start_layer", "-1"}}), InputError);
  EXPECT_THROW(
      explain({{.1, .1, .8, .3, .3, .4, .8, .1, .1}}, {{"residual", "0"}, {"discard_ratio", "0.99"}}),
      InputError)
      << "a row lost all its weight";
}

}  // namespace
}  // namespace headwater
