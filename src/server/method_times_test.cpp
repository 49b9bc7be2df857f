#include "server/method_times.h"

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "support/shipped_engines.h"

namespace headwater {
namespace {

TEST(MethodTimes, EstimateGrowsWithTheInput) {
  MethodTimes times;
  times.note("m", {.name = "attention"}, 10, {2, true});
  EXPECT_EQ(times.of("m", {.name = "attention"}, 10)->seconds, 2);
  EXPECT_EQ(times.of("m", {.name = "attention"}, 20)->seconds, 8) << "with the square";
  EXPECT_EQ(times.of("m", {.name = "attention"}, 5)->seconds, 1);
  EXPECT_TRUE(times.of("m", {.name = "attention"}, 5)->measured);
}

TEST(MethodTimes, KnowsNothingOfOthers) {
  MethodTimes times;
  times.note("m", {.name = "lime"}, 10, {2, false});
  EXPECT_FALSE(times.of("m", {.name = "lime"}, 10)->measured);
  EXPECT_FALSE(times.of("m", {.name = "lime"}, 21).has_value()) << "more than twice as long";
  EXPECT_FALSE(times.of("m", {.name = "lime"}, 4).has_value()) << "less than half as long";
  EXPECT_FALSE(times.of("m", {.name = "occlusion"}, 10).has_value());
  EXPECT_FALSE(times.of("m", {.name = "lime", .options = {{"samples", "9"}}}, 10).has_value());
  EXPECT_FALSE(times.of("m", {.name = "lime", .aggregate = "rollout"}, 10).has_value());
  EXPECT_FALSE(times.of("other", {.name = "lime"}, 10).has_value());
  times.note("m", {.name = "lime"}, 30, {9, true});
  EXPECT_EQ(times.of("m", {.name = "lime"}, 28)->seconds, 9 * 28.0 / 30) << "the nearer of two";
}

TEST(Trial, OfAShortInputIsAWholeRun) {
  const auto time = tried(testing::sentiment(), {.text = "not bad at all"}, {.name = "attention"}, {});
  ASSERT_TRUE(time.has_value());
  EXPECT_GT(time->seconds, 0);
  EXPECT_TRUE(time->measured);
}

// No time at all: the first word of progress ends the run, and its share says how long the rest takes.
TEST(Trial, OfADearMethodIsCutShort) {
  double last = 0;
  const MethodSpec dear{.name = "integrated_gradients", .options = {{"steps", "2000"}}};
  const auto time = tried(testing::sentiment(), {.text = "not bad at all"}, dear, {.seconds = 0},
                          [&](const Progress& at) { last = at.done; });
  ASSERT_TRUE(time.has_value());
  EXPECT_GT(time->seconds, 0);
  EXPECT_FALSE(time->measured);
  EXPECT_LT(last, 1) << "it did not run to its end";
}

TEST(Trial, EndsWithWhatTheListenerThrows) {
  const MethodSpec dear{.name = "integrated_gradients", .options = {{"steps", "64"}}};
  const auto stop = [](const Progress&) { throw std::runtime_error("stop"); };
  EXPECT_THROW(tried(testing::sentiment(), {.text = "not bad at all"}, dear, {}, stop), std::runtime_error);
}

TEST(Trial, SaysNothingWhereTheInputIsRefused) {
  EXPECT_FALSE(tried(testing::sentiment(), {.text = "x"}, {.name = "grad_cam_of_nobody"}, {}).has_value());
  EXPECT_FALSE(
      tried(testing::sentiment(), {.text = "not bad"}, {.name = "attention"}, {.memory = 1}).has_value());
}

TEST(Trial, ABeginningHasAboutItsLength) {
  const Engine& engine = testing::sentiment();
  std::string text;
  for (int i = 0; i < 60; ++i) text += "not bad ";
  const Input shorter = beginning_of(engine, {.text = text, .pair = text}, 24);
  EXPECT_EQ(text.find(shorter.text), 0U);
  ASSERT_TRUE(shorter.pair.has_value());
  EXPECT_FALSE(shorter.pair->empty());
  const std::size_t units = units_of_input(engine, shorter);
  EXPECT_GE(units, 20U);
  EXPECT_LE(units, 28U);
  const Input masked = beginning_of(engine, {.text = text + "[MASK]"}, 16);
  EXPECT_NE(masked.text.find("[MASK]"), std::string::npos) << "what a model fills in is still there";
  EXPECT_EQ(beginning_of(engine, {.text = "not bad"}, 16).text, "not bad");
}

}  // namespace
}  // namespace headwater
