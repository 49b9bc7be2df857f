// The laws of a target of several tokens t_0 … t_{k−1} after an input x, on every language model that writes:
//
//   value       F = Σ_i log softmax(z_i)[t_i], z_i the last row of a run of its own on x t_0 … t_{i−1}
//   gradient    pulls give the differences of that F
//   methods     completeness, differences and checks hold for F; no method explains t_0 alone without a word
//   refused     methods whose relevance starts at one logit say so

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "explain/gradients.h"
#include "explain/replacement.h"
#include "methods/method.h"
#include "support/random.h"
#include "support/tiny_models.h"

namespace headwater::testing {
namespace {

constexpr int prefix = 4;
const std::vector<int> target_tokens{7, 4, 9};

std::vector<int> input_ids(const ModelInfo& info) {
  return random_batch(info, 1, prefix, 3).ids.front();
}

// x t_0 … t_{k−2}, the head's rows from the end of x on.
Study study_of(const Model& model, const Target& target) {
  Batch batch{.ids = {input_ids(model.info())}, .positions = {}};
  batch.ids.front().insert(batch.ids.front().end(), target_tokens.begin(), target_tokens.end() - 1);
  for (std::size_t i = 0; i < target_tokens.size(); ++i)
    batch.positions.push_back(prefix - 1 + static_cast<int>(i));
  Study study(model, std::move(batch), {});
  study.special_ids = {.mask = 1, .unknown = 2, .pad = 0};
  study.aim(target);
  return study;
}

Target whole() {
  return {.position = prefix - 1, .index = target_tokens.front(), .tokens = target_tokens};
}

// log softmax(z)[k], written out.
double log_share(const std::vector<double>& z, int k) {
  double sum = 0;
  for (const double v : z) sum += std::exp(v);
  return z[static_cast<std::size_t>(k)] - std::log(sum);
}

// The last row of the logits of a run on these ids.
std::vector<double> next_logits(const Model& model, const std::vector<int>& ids,
                                std::vector<Edit> edits = {}) {
  Tape tape(Keep::Nothing, std::move(edits));
  return model.run(tape, Batch{.ids = {ids}, .positions = {static_cast<int>(ids.size()) - 1}})
      .value.to_doubles();
}

double step_by_step(const Model& model, const std::vector<int>& tokens) {
  std::vector<int> ids = input_ids(model.info());
  double sum = 0;
  for (const int id : tokens) {
    sum += log_share(next_logits(model, ids), id);
    ids.push_back(id);
  }
  return sum;
}

template <class Law>
void for_every_writer(const Law& law) {
  int writers = 0;
  for (const TinyModel& tiny : tiny_models(DType::Float64)) {
    if (tiny.model->info().task != Task::TextGeneration) continue;
    SCOPED_TRACE(tiny.name);
    ++writers;
    law(*tiny.model);
  }
  EXPECT_GE(writers, 5);
}

bool applies(const Method& method, const ModelInfo& info) {
  return method.needs_target && (method.unsupported == nullptr || method.unsupported(info).empty());
}

Attribution run(const Method& method, const Study& study,
                const std::map<std::string, std::string>& options = {}) {
  return method.run(study, MethodOptions(method.name, method.options, options));
}

TEST(SeveralTokens, TheObjectiveIsTheSumOfRunsStepByStep) {
  for_every_writer([](const Model& model) {
    const double expected = step_by_step(model, target_tokens);
    const Study study = study_of(model, whole());
    EXPECT_NEAR(Objective(study, Quantity::Logit).value(), expected, 1e-10);
    EXPECT_NEAR(study.target_value(study.logits()), expected, 1e-10);
    EXPECT_NEAR(Objective(study, Quantity::Probability).value(), std::exp(expected), 1e-10);
  });
}

TEST(SeveralTokens, AContrastMayDifferInItsLastTokenOrBeOne) {
  for_every_writer([](const Model& model) {
    Target target = whole();
    target.contrast = target_tokens.front();
    target.contrast_tokens = {7, 4, 11};
    EXPECT_NEAR(Objective(study_of(model, target), Quantity::Logit).value(),
                step_by_step(model, target_tokens) - step_by_step(model, {7, 4, 11}), 1e-10);
    target.contrast = 5;
    target.contrast_tokens.clear();
    EXPECT_NEAR(Objective(study_of(model, target), Quantity::Logit).value(),
                step_by_step(model, target_tokens) - step_by_step(model, {5}), 1e-10);
  });
}

TEST(SeveralTokens, GradientsAreDifferences) {
  for_every_writer([](const Model& model) {
    const Study study = study_of(model, whole());
    const Site at = Site::Embed;
    const Tensor gradient = gradient_of(study, Objective(study, Quantity::Logit), at);
    const Tensor direction = random_tensor(gradient.shape(), 17, DType::Float64);
    constexpr double h = 1e-5;
    double difference = 0, slope = 0;
    for (const double sign : {1.0, -1.0}) {
      const Edit move{Site::Embed, [&](Tensor& value) {
                        for (Index i = 0; i < value.size(); ++i)
                          value.data<double>()[i] += sign * h * direction.at(i);
                      }};
      Tape tape(Keep::Nothing, {move});
      const Tensor logits = model.run(tape, study.batch()).value;  // [1, 3, V]
      for (std::size_t i = 0; i < target_tokens.size(); ++i)
        difference +=
            sign / (2 * h) *
            log_share(
                logits.reshaped({logits.dim(1), logits.dim(2)}).rows(static_cast<Index>(i), 1).to_doubles(),
                target_tokens[i]);
    }
    for (Index i = 0; i < gradient.size(); ++i) slope += gradient.at(i) * direction.at(i);
    EXPECT_NEAR(slope, difference, 1e-6 * std::max(1.0, std::abs(difference)));
    EXPECT_EQ(study.seed(study.run()).to_doubles(),
              Objective(study, Quantity::Logit).seed(study.logits(), study.batch().positions).to_doubles());
  });
}

TEST(SeveralTokens, IntegratedGradientsAddUpToTheChange) {
  for_every_writer([](const Model& model) {
    const Study study = study_of(model, whole());
    const Attribution result =
        run(find_method("integrated_gradients"), study, {{"baseline", "mean"}, {"tolerance", "1e-4"}});
    const Objective objective(study, Quantity::Logit);
    const Tensor baseline =
        baseline_at(study, Site::ResidPre, Replacement::Mean, std::vector<bool>(prefix + 2, false));
    const double without =
        values_at(study, objective, Site::ResidPre, baseline.reshaped(baseline.shape().with_front(1)))
            .front();
    double sum = 0;
    for (const double score : result.scores().to_doubles()) sum += score;
    const double change = step_by_step(model, target_tokens) - without;
    EXPECT_NEAR(sum, change, 2e-3 * std::max(1.0, std::abs(change)));
  });
}

TEST(SeveralTokens, OcclusionIsTheDifferenceOfTwoRuns) {
  for_every_writer([](const Model& model) {
    const Study study = study_of(model, whole());
    const Attribution result = run(find_method("occlusion"), study, {{"replace", "zero"}});
    for (const Index gone : {Index{1}, Index{prefix}}) {  // a token of the input, one of the target's own
      const Edit zero{Site::Embed, [&](Tensor& value) {
                        const Index D = value.dim(2);
                        std::fill_n(value.data<double>() + gone * D, D, 0.0);
                      }};
      double without = 0;
      std::vector<int> ids = input_ids(model.info());
      for (const int id : target_tokens) {
        std::vector<Edit> edits;
        if (gone < static_cast<Index>(ids.size())) edits.push_back(zero);
        without += log_share(next_logits(model, ids, edits), id);
        ids.push_back(id);
      }
      EXPECT_NEAR(result.scores().at(gone), step_by_step(model, target_tokens) - without, 1e-9) << gone;
    }
  });
}

// What a tangent shares out is Σ (z_t − Σ p z) per row: the log-probability and the rows' entropies.
TEST(SeveralTokens, TangentsHoldTheEntropyBack) {
  for_every_writer([](const Model& model) {
    const Study study = study_of(model, whole());
    double entropies = 0;
    std::vector<int> ids = input_ids(model.info());
    for (const int id : target_tokens) {
      const std::vector<double> z = next_logits(model, ids);
      for (int k = 0; k < static_cast<int>(z.size()); ++k)
        entropies -= std::exp(log_share(z, k)) * log_share(z, k);
      ids.push_back(id);
    }
    EXPECT_NEAR(study.target_logit(study.logits()), step_by_step(model, target_tokens) + entropies, 1e-9);
    EXPECT_GT(entropies, 1e-3);
  });
}

TEST(SeveralTokens, EveryMethodExplainsAllOfThemOrSaysWhyNot) {
  std::set<std::string_view> refused;
  int explained = 0;
  for_every_writer([&](const Model& model) {
    const Study all = study_of(model, whole());
    const Study first = study_of(model, {.position = prefix - 1, .index = target_tokens.front()});
    for (const Method* method : all_methods()) {
      if (!applies(*method, model.info())) continue;
      SCOPED_TRACE(std::string(method->name));
      try {
        const Attribution result = run(*method, all);
        ++explained;
        for (const Check& check : result.checks)
          EXPECT_TRUE(check.passed) << check.name << ": " << check.value << " against " << check.bound;
        const std::vector<double> scores = result.scores().to_doubles();
        const bool nothing = std::all_of(scores.begin(), scores.end(), [](double v) { return v == 0; });
        if (nothing && method->claims.nonnegative) continue;  // no positive evidence in either
        EXPECT_NE(scores, run(*method, first).scores().to_doubles());
      } catch (const Unsupported& error) {
        refused.insert(method->name);
        EXPECT_NE(std::string(error.what()).find("several tokens"), std::string::npos) << error.what();
        EXPECT_NO_THROW(run(*method, first));
      }
    }
  });
  EXPECT_EQ(refused, (std::set<std::string_view>{"chefer", "lrp", "partial_lrp"}));
  EXPECT_GE(explained, 60);
}

}  // namespace
}  // namespace headwater::testing
