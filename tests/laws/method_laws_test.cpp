// The laws every method obeys on every family, as its record claims:
//
//   claims        rows sum to 1, no weight below 0, nothing on later tokens: measured here, not by the method
//   checks        what the method measured itself agrees with what is measured here
//   shape         axes name the scores' shape; maps end in [query, key] over all tokens
//   masked        NaN exactly where a causal mask forbids a value, and nowhere in a score per token
//   aimed         a method that explains an output says another thing for another target
//   repeatable    the same bits again, whatever the number of threads
//   planned       the memory plan of the kept run and of the method is not exceeded
//   refused       a model the record calls unsupported is refused as such, by the record and by the run

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "base/parallel.h"
#include "explain/rounding.h"
#include "methods/method.h"
#include "study/map_checks.h"
#include "study/memory.h"
#include "support/random.h"
#include "support/tiny_models.h"

namespace headwater::testing {
namespace {

constexpr int tokens = 6;

struct Result {
  const Method* method;
  Attribution attribution;
};

// Aimed at the first output of the last row, where there is a head.
void aim(Study& study, int index) {
  if (study.info().task == Task::FeatureExtraction) return;
  const bool rows = study.logits().rank() == 3;
  study.aim({.position = rows ? study.size() - 1 : -1, .index = index});
}

Study study_of(const Model& model) {
  Study study(model, random_batch(model.info(), 1, tokens, 3), {});
  study.special_ids = {.mask = 1, .unknown = 2, .pad = 0};
  aim(study, 0);
  return study;
}

bool applies(const Method& method, const ModelInfo& info) {
  if (method.unsupported != nullptr && !method.unsupported(info).empty()) return false;
  return !method.needs_target || info.task != Task::FeatureExtraction;
}

bool is_map(const Attribution& result) {
  return !result.axes().empty() && result.axes().back().kind == Axis::Key;
}

Attribution run(const Method& method, const Study& study) {
  return method.run(study, MethodOptions(method.name, method.options, {}));
}

template <class Law>
void for_every_result(DType dtype, const Law& law) {
  ASSERT_FALSE(all_methods().empty());
  for (const TinyModel& tiny : tiny_models(dtype)) {
    const Study study = study_of(*tiny.model);
    for (const Method* method : all_methods()) {
      if (!applies(*method, tiny.model->info())) continue;
      SCOPED_TRACE(tiny.name + " " + std::string(method->name));
      law(*method, study, run(*method, study));
    }
  }
}

double row_sum_deviation(const Tensor& scores) {
  const Index T = scores.shape().back();
  double worst = 0;
  for (Index row = 0; row < scores.size() / T; ++row) {
    double sum = 0;
    for (Index j = 0; j < T; ++j) {
      const double v = scores.at(row * T + j);
      if (!std::isnan(v)) sum += v;
    }
    worst = std::max(worst, std::abs(sum - 1));
  }
  return worst;
}

TEST(MethodLaws, ClaimsHold) {
  for (const DType dtype : {DType::Float64, DType::Float32})
    for_every_result(dtype, [&](const Method& method, const Study&, const Attribution& result) {
      if (method.claims.rows_sum_to_one) {
        EXPECT_LE(row_sum_deviation(result.scores()), row_sum_bound(dtype));
      }
      for (Index i = 0; method.claims.nonnegative && i < result.scores().size(); ++i)
        ASSERT_FALSE(result.scores().at(i) < 0) << i;
      for (const Check& check : result.checks) {
        // What float32 leaves uncertain is told; nobody claims that it is little.
        if (dtype == DType::Float32 && check.name == rounding_check) continue;
        EXPECT_TRUE(check.passed) << check.name << ": " << check.value << " against " << check.bound;
      }
    });
}

TEST(MethodLaws, NaNStandsExactlyWhereTheMaskForbids) {
  for_every_result(DType::Float64, [](const Method&, const Study& study, const Attribution& result) {
    const Index T = study.size();
    const bool masked = is_map(result) && study.info().last().causal;
    if (is_map(result)) {
      ASSERT_EQ(result.scores().shape().back(), T);
    }
    for (Index i = 0; i < result.scores().size(); ++i)
      ASSERT_EQ(std::isnan(result.scores().at(i)), masked && i % T > i / T % T) << i;
  });
}

TEST(MethodLaws, AxesNameTheShape) {
  for_every_result(DType::Float32, [](const Method& method, const Study& study, const Attribution& result) {
    EXPECT_EQ(result.method, method.name);
    ASSERT_EQ(static_cast<int>(result.axes().size()), result.scores().rank());
    for (int axis = 0; axis < result.scores().rank(); ++axis) {
      const Axis& named = result.axes()[static_cast<std::size_t>(axis)];
      const Index expected = named.kind == Axis::Layer  ? study.info().last().layers
                             : named.kind == Axis::Head ? study.info().last().heads
                             : named.kind == Axis::Row || named.kind == Axis::Column
                                 ? study.info().image_size / study.info().patch_size
                                 : study.size();
      EXPECT_EQ(result.scores().dim(axis), expected) << name_of(named);
    }
    EXPECT_EQ(result.options.size(), method.options.size());
  });
}

TEST(MethodLaws, RepeatsBitForBit) {
  for_every_result(DType::Float32, [](const Method& method, const Study& study, const Attribution& result) {
    const int before = thread_count();
    set_thread_count(1);
    const Study again = study_of(study.model());
    const Attribution second = run(method, again);
    set_thread_count(before);
    ASSERT_EQ(result.scores().shape(), second.scores().shape());
    EXPECT_EQ(
        std::memcmp(result.scores().data<float>(), second.scores().data<float>(), result.scores().bytes()),
        0);
  });
}

// Layers that are there have the result's bits, the others no number; some of both.
void expect_beginning_of(const Attribution& result, const Attribution& shown) {
  EXPECT_TRUE(shown.unfinished);
  ASSERT_EQ(shown.maps.size(), result.maps.size());
  int whole = 0, missing = 0;
  for (std::size_t m = 0; m < shown.maps.size(); ++m) {
    EXPECT_EQ(shown.maps[m].axes, result.maps[m].axes);
    ASSERT_EQ(shown.maps[m].values.shape(), result.maps[m].values.shape());
    for (Index layer = 0; layer < shown.maps[m].values.dim(0); ++layer) {
      const Tensor here = shown.maps[m].values.rows(layer, 1), there = result.maps[m].values.rows(layer, 1);
      const bool to_come = std::isnan(here.at(0));  // a row's first key is never forbidden
      ++(to_come ? missing : whole);
      if (to_come)
        for (Index i = 0; i < here.size(); ++i) ASSERT_TRUE(std::isnan(here.at(i)));
      else
        ASSERT_EQ(std::memcmp(here.data<double>(), there.data<double>(), here.bytes()), 0);
    }
  }
  EXPECT_TRUE(whole > 0 && missing > 0) << whole << " and " << missing;
}

// What is shown while a method runs is the result itself, as far as it has come.
TEST(MethodLaws, LayersThatAreToldOnTheWayAreTheResults) {
  std::set<std::string_view> told;
  for_every_result(DType::Float64, [&](const Method& method, const Study& plain, const Attribution& result) {
    Study study = study_of(plain.model());
    study.on_layer = [&](const std::function<Attribution()>& so_far) {
      told.insert(method.name);
      expect_beginning_of(result, so_far());
    };
    EXPECT_FALSE(run(method, study).unfinished);
  });
  for (const char* name :
       {"alti", "attattr", "attention_norm", "effective_attention", "globenc", "value_zeroing"})
    EXPECT_TRUE(told.contains(name)) << name;
}

// Methods that show positive evidence alone may find none for either target, in which case there is nothing
// to compare; that must stay the exception.
TEST(MethodLaws, AnotherTargetGivesAnotherAnswer) {
  std::map<const Method*, std::pair<int, int>> compared;  // of how many models
  for (const TinyModel& tiny : tiny_models(DType::Float64)) {
    if (tiny.model->info().task == Task::FeatureExtraction) continue;
    Study study = study_of(*tiny.model);
    if (study.logits().shape().back() < 2) continue;
    for (const Method* method : all_methods()) {
      if (!applies(*method, tiny.model->info())) continue;
      SCOPED_TRACE(tiny.name + " " + std::string(method->name));
      aim(study, 0);
      const std::vector<double> first = run(*method, study).scores().to_doubles();
      aim(study, 1);
      const std::vector<double> second = run(*method, study).scores().to_doubles();
      const bool same = std::memcmp(first.data(), second.data(), first.size() * sizeof(double)) == 0;
      const bool nothing = std::all_of(first.begin(), first.end(), [](double v) { return v == 0; }) && same;
      ++compared[method].second;
      if (nothing && method->needs_target && method->claims.nonnegative) continue;
      ++compared[method].first;
      EXPECT_EQ(same, !method->needs_target);
    }
  }
  for (const auto& [method, count] : compared) EXPECT_GT(4 * count.first, 3 * count.second) << method->name;
}

TEST(MethodLaws, WindowsOfLayersGiveTheSameBits) {
  for_every_result(DType::Float32, [](const Method& method, const Study& study, const Attribution& result) {
    if (method.sites.empty()) return;
    Study windowed(study.model(), study.batch(), {});
    windowed.keep_only(method.sites, 1);
    windowed.special_ids = study.special_ids;
    windowed.scratch = 0;
    aim(windowed, 0);
    const Attribution second = run(method, windowed);
    EXPECT_EQ(
        std::memcmp(result.scores().data<float>(), second.scores().data<float>(), result.scores().bytes()),
        0);
  });
}

TEST(MethodLaws, MemoryPlansAreUpperBounds) {
  for_every_result(DType::Float32, [](const Method& method, const Study& study, const Attribution& result) {
    const std::size_t planned = planned_run_bytes(study.info(), study.size(), study.size());
    EXPECT_GE(planned, study.run().tape->kept_bytes());
    EXPECT_LE(planned, 6 * study.run().tape->kept_bytes()) << "a plan that is far too high helps nobody";
    EXPECT_GE(
        method.planned_bytes(study.info(), study.size(), MethodOptions(method.name, method.options, {})),
        result.scores().bytes());
  });
}

TEST(MethodLaws, UnsupportedModelsAreRefused) {
  for (const Method* method : all_methods()) {
    if (method->unsupported == nullptr) continue;
    SCOPED_TRACE(std::string(method->name));
    int refused = 0, accepted = 0;
    for (const TinyModel& tiny : tiny_models(DType::Float32)) {
      if (method->unsupported(tiny.model->info()).empty()) {
        ++accepted;
        continue;
      }
      ++refused;
      EXPECT_THROW(require_supported(*method, tiny.model->info()), Unsupported) << tiny.name;
      EXPECT_THROW(run(*method, study_of(*tiny.model)), Unsupported) << tiny.name;
    }
    EXPECT_GT(accepted, 0) << "a method for no model at all";
    EXPECT_GT(refused, 0) << "a reason no model meets";
  }
}

TEST(MethodLaws, RecordsAreComplete) {
  for (const Method* method : all_methods()) {
    SCOPED_TRACE(std::string(method->name));
    for (const std::string_view text :
         {method->summary, method->formula, method->paper, method->cost, method->limits})
      EXPECT_GT(text.size(), 20U);
    for (const MethodOption& option : method->options) {
      EXPECT_FALSE(option.help.empty()) << option.name;
      EXPECT_NO_THROW(MethodOptions(method->name, method->options,
                                    {{std::string(option.name), std::string(option.otherwise)}}));
    }
  }
}

}  // namespace
}  // namespace headwater::testing
