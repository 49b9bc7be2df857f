// The memory law of runs over many inputs (heads, prune, triggers, identify, evaluate): with the least bound
// that is accepted, what is live on the heap at one time stays within it, inputs and all. `slack` is for what
// does not grow with inputs or model: checks and records as text, lists of heads.

#include <utility>

#include <gtest/gtest.h>
#include <headwater/engine.h>

#include "support/heap_meter.h"
#include "support/memory_bound.h"
#include "support/source_folder.h"
#include "tensor/pool.h"

namespace headwater::testing {
namespace {

constexpr std::size_t slack = 64 << 10;
constexpr std::size_t far_too_high = 6;

class LabelledMemoryLaw : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!heap_is_metered()) GTEST_SKIP() << "sanitizers bring their own heap";
    for (int k = 0; k < 16; ++k) {
      std::string text = "a film about a family";
      for (int more = 0; more < k % 4; ++more) text += ", slow at first but great fun";
      inputs_.push_back({Input{.text = text + std::to_string(k)}, k % 2 == 0 ? "POSITIVE" : "NEGATIVE"});
    }
  }

  // `plan` says how much a bound leads to, `run` runs with it.
  template <class Plan, class Run>
  void expect_within(const Plan& plan, const Run& run) {
    const std::size_t least = least_accepted([&](std::size_t bound) { plan(bound); });
    if (!std::exchange(warm_, true)) run(least);  // so that what is made once is made
    const HeapMeter meter;
    run(least);
    const std::size_t used = meter.peak();
    EXPECT_LE(plan(least), least);
    EXPECT_LE(used, plan(least) + slack);
    EXPECT_LE(plan(least), far_too_high * used);
  }

  const pool::KeepNothing exact_;
  const Engine engine_ = Engine::load(HEADWATER_SOURCE_DIR "/models/sentiment");
  std::vector<LabelledInput> inputs_;

 private:
  bool warm_ = false;
};

TEST_F(LabelledMemoryLaw, Rankings) {
  for (const std::string& ranking : head_rankings()) {
    SCOPED_TRACE(ranking);
    expect_within(
        [&](std::size_t bound) { return engine_.plan_head_importance(inputs_, ranking, bound).bytes; },
        [&](std::size_t bound) { engine_.head_importance(inputs_, ranking, {.max_memory = bound}); });
  }
}

TEST_F(LabelledMemoryLaw, Pruning) {
  const HeadImportance ranking = engine_.head_importance(inputs_, "attention");
  const PruningOptions options{.rates = {0, 0.5, 1}, .random_orders = 2};
  expect_within([&](std::size_t bound) { return engine_.plan_pruning(inputs_, 1, options, bound).bytes; },
                [&](std::size_t bound) {
                  engine_.pruning_curves(inputs_, {&ranking, 1}, options, {.max_memory = bound});
                });
}

TEST_F(LabelledMemoryLaw, Triggers) {
  const TriggerOptions options{.inputs = 6, .patterns = 1, .tolerance = 0.01};
  expect_within([&](std::size_t bound) { return engine_.plan_triggers(inputs_, options, bound).bytes; },
                [&](std::size_t bound) { engine_.triggers(inputs_, options, {.max_memory = bound}); });
}

TEST_F(LabelledMemoryLaw, Identify) {
  for (const TokenMap map : {TokenMap::Naive, TokenMap::Linear, TokenMap::Mlp})
    for (const TokenPool pool : {TokenPool::Sentence, TokenPool::Vocabulary}) {
      SCOPED_TRACE(static_cast<int>(map) * 10 + static_cast<int>(pool));
      IdentifyRequest request{.maps = {map}, .pool = pool};
      for (const LabelledInput& one : inputs_) request.texts.push_back(one.input);
      request.mlp = {.hidden = 30, .learning_rate = 1e-3, .batch = 64, .patience = 2, .epochs = 2};
      request.control = false;
      const auto with = [&](std::size_t bound) {
        request.max_memory = bound;
        return request;
      };
      expect_within([&](std::size_t bound) { return engine_.plan_identify(with(bound)).bytes; },
                    [&](std::size_t bound) { engine_.identify(with(bound)); });
    }
}

TEST_F(LabelledMemoryLaw, Evaluate) {
  const std::vector<std::pair<std::vector<MetricSpec>, std::vector<MethodSpec>>> runs{
      {{{"deletion"}, {"insertion"}, {"comprehensiveness"}}, {{"saliency"}, {"attention_rollout"}}},
      {{{"infidelity"}, {"spearman_agreement"}}, {{"chefer"}}},
      {{{"self_contribution"}}, {{"attention"}, {"value_zeroing"}}},
      {{{"token_identifiability"}}, {}},
      {{{"head_pruning", {{"rankings", "attention,taylor"}, {"steps", "2"}}}}, {}}};
  for (const auto& [metrics, methods] : runs) {
    SCOPED_TRACE(metrics.front().name);
    EvaluateRequest request{.methods = methods, .metrics = metrics, .resamples = 10};
    for (const LabelledInput& one : inputs_)
      request.examples.push_back({.input = one.input, .gold = one.label});
    const auto with = [&](std::size_t bound) {
      request.max_memory = bound;
      return request;
    };
    expect_within([&](std::size_t bound) { return engine_.plan_evaluate(with(bound)).bytes; },
                  [&](std::size_t bound) { engine_.evaluate(with(bound)); });
  }
}

}  // namespace
}  // namespace headwater::testing
