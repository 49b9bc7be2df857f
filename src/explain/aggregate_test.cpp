#include "explain/aggregate.h"

#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>
#include <headwater/error.h>

namespace headwater {
namespace {

Attribution maps_of(Shape shape, const std::vector<double>& values) {
  Attribution result{.method = "m", .options = {{"a", "b"}}};
  result.axes() = shape.rank() == 4 ? Axes{Axis::Layer, Axis::Head, Axis::Query, Axis::Key}
                                    : Axes{Axis::Layer, Axis::Query, Axis::Key};
  result.scores() = Tensor::of(std::move(shape), values);
  result.checks = {{.name = "of the maps"}};
  result.notes = {"of the maps"};
  return result;
}

JointMixing steps_for(const Attribution& maps, bool causal) {
  const Tensor& scores = maps.scores();
  const ModelInfo info{.stacks = {{.layers = static_cast<int>(scores.dim(0)), .causal = causal}}};
  return {info, {{.name = "text", .count = scores.shape().back()}}};
}

Attribution rollout(Attribution maps, Blend blend, bool causal = false) {
  JointMixing steps = steps_for(maps, causal);
  return aggregate(std::move(maps), "rollout", blend, std::move(steps), [](double) {});
}

void expect_scores(const Attribution& result, const std::vector<double>& expected, double tolerance = 1e-15) {
  ASSERT_EQ(result.scores().size(), static_cast<Index>(expected.size()));
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(result.scores().at(static_cast<Index>(i)), expected[i], tolerance) << i;
}

bool has_check(const Attribution& result, std::string_view name) {
  for (const Check& check : result.checks)
    if (check.name == name) return check.passed;
  return false;
}

TEST(Aggregate, MapsWithoutTheResidualPathAreMixedWithTheIdentity) {
  // Four maps and their products after layers 2 and 4, by NumPy.
  const Attribution result = rollout(
      maps_of({4, 3, 3}, {.6, .3, .1, .2, .5, .3, .1,  .1,  .8, .2, .2,  .6,  .7, .2, .1, .3, .4, .3,
                          .1, .8, .1, .4, .4, .2, .25, .25, .5, .5, .25, .25, .1, .1, .8, .6, .2, .2}),
      Blend::HalfIdentity);
  const std::vector<double> second{.505, .18, .315, .3425, .505, .1525, .1725, .205, .6225},
      last{.39169531, .31460937, .29369531, .31219375, .3368125, .35099375, .304, .278, .418};
  for (Index i = 0; i < 9; ++i) {
    EXPECT_NEAR(result.scores().at(9 + i), second[static_cast<std::size_t>(i)], 1e-15);
    EXPECT_NEAR(result.scores().at(27 + i), last[static_cast<std::size_t>(i)], 5e-9);
  }
  EXPECT_EQ(result.method, "m");
  EXPECT_EQ(result.aggregate, "rollout");
  EXPECT_EQ(name_of(result), "m_rollout");
  EXPECT_EQ(result.axes(), (Axes{Axis::Layer, Axis::Query, Axis::Key}));
  const std::vector<std::pair<std::string, std::string>> options{{"a", "b"}};
  EXPECT_EQ(result.options, options);
  EXPECT_EQ(result.checks.front().name, "of the maps") << "what was measured on the way stays";
  EXPECT_EQ(result.notes.front(), "of the maps");
  EXPECT_TRUE(has_check(result, "rows sum to 1"));
  EXPECT_TRUE(has_check(result, "smallest weight is at least 0"));
}

TEST(Aggregate, CompleteMapsAreOnlyDivided) {
  const std::vector<double> raw{3, 1, 2, 2, 1, 1, 0, 4};
  expect_scores(rollout(maps_of({2, 2, 2}, raw), Blend::RowSums), {.75, .25, .5, .5, .625, .375, .5, .5});
}

TEST(Aggregate, RawScoresAreMultipliedAsTheyAre) {
  const Attribution result = rollout(maps_of({2, 2, 2}, {3, 1, 2, 2, 1, 1, 0, 4}), Blend::AsIs);
  expect_scores(result, {3, 1, 2, 2, 5, 3, 8, 8});
  EXPECT_FALSE(has_check(result, "rows sum to 1")) << "they need not";
}

TEST(Aggregate, HeadsAreAveragedFirst) {
  expect_scores(rollout(maps_of({1, 2, 2, 2}, {1, 0, 0, 1, 0, 1, .5, .5}), Blend::HalfIdentity),
                {.75, .25, .125, .875});
}

TEST(Aggregate, ForbiddenCellsCountNothingAndStayForbidden) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Attribution result = rollout(maps_of({2, 2, 2}, {2, nan, 1, 3, 1, nan, 1, 1}), Blend::RowSums, true);
  for (const Index forbidden : {1, 5}) EXPECT_TRUE(std::isnan(result.scores().at(forbidden)));
  EXPECT_EQ(result.scores().at(4), 1);
  EXPECT_EQ(result.scores().at(6), .625);
  EXPECT_EQ(result.scores().at(7), .375);
  EXPECT_TRUE(has_check(result, "no weight on later tokens"));
  EXPECT_TRUE(has_check(result, "rows sum to 1"));
}

TEST(Aggregate, ARowWithoutWeightShowsInItsCheck) {
  EXPECT_FALSE(has_check(rollout(maps_of({1, 2, 2}, {1, 1, 0, 0}), Blend::RowSums), "rows sum to 1"));
}

TEST(Aggregate, KeepsTheWorkingTypeAndStopsWhenTold) {
  Attribution single = maps_of({1, 2, 2}, {1, 0, 0, 1});
  single.scores() = single.scores().to(DType::Float32);
  EXPECT_EQ(rollout(single, Blend::RowSums).scores().dtype(), DType::Float32);
  EXPECT_THROW(aggregate(single, "rollout", Blend::RowSums, steps_for(single, false),
                         [](double) { throw std::runtime_error("stop"); }),
               std::runtime_error);
}

TEST(Aggregate, PlansTwoCopiesAtLeast) {
  EXPECT_GE(aggregate_bytes(12, 512, "rollout"), std::size_t{12} * 512 * 512 * 2 * sizeof(double));
}

TEST(CheckAggregate, RefusesWhatHasNoMeaning) {
  EXPECT_NO_THROW(check_aggregate("", "m", false));
  EXPECT_NO_THROW(check_aggregate("rollout", "m", true));
  EXPECT_NO_THROW(check_aggregate("flow", "m", true));
  EXPECT_THROW(check_aggregate("sum", "m", true), InputError);
  try {
    check_aggregate("rollout", "saliency", false);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("found saliency"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace headwater
