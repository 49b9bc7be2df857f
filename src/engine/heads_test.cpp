// Heads over labelled inputs through the facade, on the shipped sentiment model: records, checks, and memory
// that stays within its plan, whatever the bound.
#include <algorithm>

#include <gtest/gtest.h>
#include <headwater/engine.h>

#include "support/shipped_engines.h"
#include "support/source_folder.h"

namespace headwater {
namespace {

using testing::sentiment;

// Of several lengths.
const std::vector<LabelledInput>& inputs() {
  static const std::vector<LabelledInput> made = [] {
    std::vector<LabelledInput> all;
    const std::vector<std::string> texts{"a gripping and often very funny film", "a dull, lifeless mess",
                                         "not bad at all", "the plot is slow and the acting wooden",
                                         "warm and clever"};
    for (int k = 0; k < 40; ++k) {
      const auto u = static_cast<std::size_t>(k);
      all.push_back({Input{.text = texts[u % 5] + (k % 4 == 3 ? ", " + texts[(u / 4) % 5] : "")},
                     k % 5 == 1 || k % 5 == 3 ? "NEGATIVE" : "POSITIVE"});
    }
    return all;
  }();
  return made;
}

void expect_recorded(const std::vector<Check>& checks, const RunRecord& record, std::size_t count) {
  EXPECT_EQ(checks.size(), count);
  for (const Check& check : checks) EXPECT_TRUE(check.passed) << check.name << " " << check.value;
  EXPECT_EQ(record.model.substr(record.model.size() - 9), "sentiment");
  EXPECT_EQ(record.dtype, "float32");
  EXPECT_EQ(record.weights_sha256.size(), 64U);
  EXPECT_GT(record.threads, 0);
  EXPECT_FALSE(record.kernels.empty());
  EXPECT_GT(record.seconds, 0);
}

std::size_t peak_of(const std::function<void()>& work) {
  work();  // so that what is made once is made
  reset_tensor_pool_peak();
  const std::size_t before = tensor_pool_statistics().live_bytes;
  work();
  return tensor_pool_statistics().peak_bytes - before;
}

// The least bound that is taken: what refusals say would be enough, first beside the inputs, then for the
// work.
std::size_t least_of(const std::function<void(std::size_t)>& plan) {
  std::size_t bound = 1 << 16;
  for (int refusals = 0; refusals < 3; ++refusals) {
    try {
      plan(bound);
      return refusals > 0 ? bound : 0;
    } catch (const InputError& error) {
      const std::string text = error.what();
      bound = static_cast<std::size_t>(std::stod(text.substr(text.find_first_of("0123456789"))) * 0x1p20) + 1;
    }
  }
  return 0;
}

class Rankings : public ::testing::TestWithParam<std::string> {};

TEST_P(Rankings, CarryChecksAndRecord) {
  const HeadImportance found = sentiment().head_importance(std::span(inputs()).first(12), GetParam());
  expect_recorded(found.checks, found.record, GetParam() == "attattr" ? 2 : 1);
}

TEST_P(Rankings, StayWithinTheirPlanAndSayTheSameWithLess) {
  const std::span<const LabelledInput> some = std::span(inputs()).first(12);
  const auto plan = [&](std::size_t bound) {
    return sentiment().plan_head_importance(some, GetParam(), bound).bytes;
  };
  const std::size_t whole = plan(0);
  std::vector<double> scores;
  const std::size_t used = peak_of([&] { scores = sentiment().head_importance(some, GetParam()).scores; });
  EXPECT_LE(used, whole);
  EXPECT_GE(20 * used, whole) << "a plan, not a guess";
  const std::size_t least = least_of(plan);
  ASSERT_GT(least, 0U);
  EXPECT_LE(plan(least), least) << "and it is enough";
  for (const std::size_t bound : {least, (least + whole) / 2}) {
    SCOPED_TRACE(bound);
    HeadImportance found;
    const std::size_t narrow =
        peak_of([&] { found = sentiment().head_importance(some, GetParam(), {.max_memory = bound}); });
    EXPECT_LE(narrow, plan(bound));
    EXPECT_EQ(found.scores, scores) << "the same bits";
  }
}

INSTANTIATE_TEST_SUITE_P(Heads, Rankings, ::testing::ValuesIn(head_rankings()),
                         [](const auto& named) { return named.param; });

HeadImportance by_attention() {
  return sentiment().head_importance(std::span(inputs()).first(8), "attention");
}

TEST(Pruning, CarriesChecksAndRecordAndStaysWithinItsPlan) {
  const HeadImportance ranking = by_attention();
  const PruningOptions options{.rates = {0, 0.5, 1}, .random_orders = 2};
  PruningReport report;
  const std::size_t used = peak_of([&] {
    report = sentiment().pruning_curves(inputs(), {&ranking, 1}, options);
  });
  expect_recorded(report.checks, report.record, 3);
  EXPECT_EQ(report.inputs, 40);
  const LabelledPlan plan = sentiment().plan_pruning(inputs(), 1, options);
  EXPECT_EQ(plan.masks, 2U + 3 * (4 + 2));
  EXPECT_LE(used, plan.bytes);
  EXPECT_GE(20 * used, plan.bytes);
  const std::size_t least =
      least_of([&](std::size_t bound) { sentiment().plan_pruning(inputs(), 1, options, bound); });
  ASSERT_GT(least, 0U);
  EXPECT_LT(least, plan.bytes) << "smaller batches take less";
  PruningReport again;
  EXPECT_LE(peak_of([&] {
              again = sentiment().pruning_curves(inputs(), {&ranking, 1}, options, {.max_memory = least});
            }),
            least);
  for (std::size_t c = 0; c < report.curves.size(); ++c)
    EXPECT_EQ(again.curves[c].accuracy, report.curves[c].accuracy);
}

TEST(Triggers, CarryChecksAndRecordAndStayWithinTheirPlan) {
  const TriggerOptions options{.inputs = 6, .patterns = 1, .tolerance = 0.01};
  TriggerReport report;
  const std::size_t used = peak_of([&] { report = sentiment().triggers(inputs(), options); });
  expect_recorded(report.checks, report.record, 3);
  EXPECT_FALSE(report.triggers.empty());
  EXPECT_EQ(report.cut, 0);
  const LabelledPlan plan = sentiment().plan_triggers(inputs(), options);
  EXPECT_EQ(plan.studies, 6U);
  EXPECT_LE(used, plan.bytes);
  EXPECT_GE(20 * used, plan.bytes);
  const std::size_t least =
      least_of([&](std::size_t bound) { sentiment().plan_triggers(inputs(), options, bound); });
  ASSERT_GT(least, 0U);
  TriggerReport again;
  EXPECT_LE(peak_of([&] { again = sentiment().triggers(inputs(), options, {.max_memory = least}); }), least);
  ASSERT_EQ(again.triggers.size(), report.triggers.size());
  for (std::size_t t = 0; t < report.triggers.size(); ++t) {
    EXPECT_EQ(again.triggers[t].strength, report.triggers[t].strength);
    EXPECT_EQ(again.triggers[t].accuracy, report.triggers[t].accuracy);
  }
}

TEST(LabelledPlan, CountsTheInputs) {
  const LabelledPlan plan = sentiment().plan_head_importance(inputs(), "accuracy_difference");
  std::size_t tokens = 0, longest = 0;
  for (const LabelledInput& one : inputs()) {
    const std::size_t own = sentiment().tokenize(one.input).size();
    tokens += own;
    longest = std::max(longest, own);
  }
  EXPECT_EQ(plan.inputs, 40U);
  EXPECT_EQ(plan.tokens, tokens);
  EXPECT_EQ(plan.longest, longest);
  EXPECT_EQ(plan.studies, 0U);
  EXPECT_EQ(plan.masks, 1U + static_cast<std::size_t>(sentiment().info().last().layers *
                                                      sentiment().info().last().heads));
}

TEST(LabelledPlan, RefusesMoreInputsThanFit) {
  EXPECT_THROW(sentiment().plan_head_importance(inputs(), "attention", 1000), InputError);
  EXPECT_THROW(sentiment().plan_head_importance(inputs(), "attentoin"), InputError);
}

// A picture's pixels count too, and it counts fewer tokens in a batch than it has.
TEST(LabelledPlan, HoldsForPictures) {
  const Engine vision = Engine::load(std::string(HEADWATER_SOURCE_DIR) + "/models/vision");
  const std::vector<LabelledInput> pictures(
      4, {Input{.image = std::string(HEADWATER_SOURCE_DIR) + "/docs/pets.jpg"}, "dog"});
  for (const std::string ranking : {"attention", "taylor", "accuracy_difference"}) {
    SCOPED_TRACE(ranking);
    const auto plan = [&](std::size_t bound) {
      return vision.plan_head_importance(pictures, ranking, bound).bytes;
    };
    HeadImportance whole, narrow;
    EXPECT_LE(peak_of([&] { whole = vision.head_importance(pictures, ranking); }), plan(0));
    const std::size_t least = least_of(plan);
    ASSERT_GT(least, 0U);
    EXPECT_LE(peak_of([&] { narrow = vision.head_importance(pictures, ranking, {.max_memory = least}); }),
              least);
    EXPECT_EQ(narrow.scores, whole.scores);
    for (const Check& check : whole.checks) EXPECT_TRUE(check.passed) << check.name;
  }
}

}  // namespace
}  // namespace headwater
