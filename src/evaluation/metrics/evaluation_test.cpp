// Numbers worked by hand, the specification's, and the ends: nothing to take away, nothing marked, scores all
// equal. tests/golden/evaluation_goldens_test.cpp compares with scikit-learn.
#include "evaluation/metrics/evaluation.h"

#include <cmath>
#include <functional>
#include <map>
#include <span>

#include <gtest/gtest.h>
#include <headwater/error.h>

namespace headwater {
namespace {

using Given = std::map<std::string, std::string>;
using ByKept = std::function<double(const std::vector<bool>&)>;

Sample sample_of_units(int units) {
  Sample sample;
  for (int u = 0; u < units; ++u) sample.units.push_back({u});
  return sample;
}

EvaluationValue measured(const char* name, const Trial& trial, const ByKept& p, const Given& given = {}) {
  const Evaluation& evaluation = find_evaluation(name);
  const MethodOptions options(evaluation.name, evaluation.options, given);
  std::vector<Reply> replies;
  if (evaluation.asks != nullptr)
    for (const Perturbation& asked : evaluation.asks(trial, options))
      replies.push_back({.probability = p(asked.kept), .logit = 10 * p(asked.kept)});
  return evaluation.measure(trial, options, replies);
}

Trial trial_of(const Sample& sample, std::vector<double> scores, std::vector<double> reference = {}) {
  return {sample, {scores}, scores, std::move(reference)};
}

// Each unit that stays adds its weight.
ByKept additive(const std::vector<double>& weights) {
  return [weights](const std::vector<bool>& kept) {
    double sum = 0;
    for (std::size_t u = 0; u < kept.size(); ++u) sum += kept[u] ? weights[u] : 0;
    return sum;
  };
}

const ByKept nothing = [](const std::vector<bool>&) { return 0.5; };

TEST(Evaluation, RecordsAreComplete) {
  ASSERT_GE(all_evaluations().size(), 18U);
  for (const Evaluation* evaluation : all_evaluations()) {
    EXPECT_EQ(&find_evaluation(evaluation->name), evaluation);
    EXPECT_FALSE(evaluation->summary.empty()) << evaluation->name;
    EXPECT_FALSE(evaluation->formula.empty()) << evaluation->name;
    EXPECT_FALSE(evaluation->paper.empty()) << evaluation->name;
    EXPECT_NE(evaluation->measure == nullptr, evaluation->measure_model == nullptr) << evaluation->name;
    EXPECT_EQ(evaluation->rows == nullptr, evaluation->measure_model == nullptr) << evaluation->name;
    EXPECT_EQ(evaluation->points == nullptr, evaluation->curve_over.empty()) << evaluation->name;
    MethodOptions(evaluation->name, evaluation->options, {});
  }
  EXPECT_THROW(find_evaluation("deletoin"), InputError);
}

TEST(Evaluation, DeletionByHand) {
  // Four units in the order 1, 3, 0, 2; each holds a quarter of the probability, so every path is straight.
  const Sample sample = sample_of_units(4);
  const Trial trial = trial_of(sample, {1, 4, 0, 2});
  EXPECT_NEAR(measured("deletion", trial, additive({.25, .25, .25, .25}), {{"steps", "4"}}).value, .5, 1e-15);
  // All the probability in unit 1: gone after the first of four steps, area ¼ · (1 + 0)/2.
  EXPECT_NEAR(measured("deletion", trial, additive({0, 1, 0, 0}), {{"steps", "0"}}).value, .125, 1e-15);
  EXPECT_NEAR(measured("insertion", trial, additive({0, 1, 0, 0}), {{"steps", "0"}}).value, .875, 1e-15);
  EXPECT_NEAR(
      measured("deletion", trial, additive({0, 1, 0, 0}), {{"steps", "0"}, {"quantity", "logit"}}).value,
      1.25, 1e-14);
}

TEST(Evaluation, WhichWayIsBetterTurnsWithTheOrder) {
  const Evaluation& deletion = find_evaluation("deletion");
  EXPECT_EQ(better_of(deletion, MethodOptions("deletion", deletion.options, {})), Evaluation::Better::Lower);
  EXPECT_EQ(better_of(deletion, MethodOptions("deletion", deletion.options, {{"order", "least"}})),
            Evaluation::Better::Higher);
}

TEST(Evaluation, SharesAreRoundedUp) {
  // Ten units: 1 %, 5 % and 10 % are one unit, 20 % two, 50 % five; each holds a tenth.
  const Sample sample = sample_of_units(10);
  const Trial trial = trial_of(sample, {9, 8, 7, 6, 5, 4, 3, 2, 1, 0});
  const ByKept p = additive(std::vector<double>(10, .1));
  EXPECT_NEAR(measured("comprehensiveness", trial, p).value, (.1 + .1 + .1 + .2 + .5) / 5, 1e-15);
  EXPECT_NEAR(measured("sufficiency", trial, p).value, (.9 + .9 + .9 + .8 + .5) / 5, 1e-15);
  EXPECT_NEAR(measured("log_odds", trial, p).value, std::log(.8), 1e-15);
  EXPECT_THROW(measured("sufficiency", trial, p, {{"shares", "0,5"}}), InputError);
  EXPECT_THROW(measured("comprehensiveness", trial, p, {{"shares", "half"}}), InputError);
}

TEST(Evaluation, AnAdditiveModelIsExplainedByItsWeights) {
  const Sample sample = sample_of_units(6);
  const std::vector<double> weights{.3, -.1, .2, .05, -.2, .4};
  std::vector<double> doubled, negated;
  for (const double w : weights) {
    doubled.push_back(2 * w);
    negated.push_back(-w);
  }
  const ByKept p = additive(weights);
  EXPECT_NEAR(measured("sensitivity_n", trial_of(sample, weights), p, {{"shares", "20,50"}}).value, 1, 1e-12);
  EXPECT_NEAR(measured("sensitivity_n", trial_of(sample, doubled), p, {{"shares", "50"}}).value, 1, 1e-12);
  EXPECT_NEAR(measured("sensitivity_n", trial_of(sample, negated), p, {{"shares", "50"}}).value, -1, 1e-12);
  EXPECT_NEAR(measured("infidelity", trial_of(sample, weights), p, {{"scaled", "no"}}).value, 0, 1e-25);
  EXPECT_NEAR(measured("infidelity", trial_of(sample, doubled), p).value, 0, 1e-25);
  // Twice the weights miss by the sum itself; no scores at all miss by as much.
  const double missed = measured("infidelity", trial_of(sample, doubled), p, {{"scaled", "no"}}).value;
  EXPECT_GT(missed, .001);
  EXPECT_NEAR(missed, measured("infidelity", trial_of(sample, std::vector<double>(6, 0.0)), p).value, 1e-15);
}

TEST(Evaluation, AgreementIsTheSpecificationsNumber) {
  const Sample sample = sample_of_units(5);
  const Trial trial = trial_of(sample, {.4, .1, .1, .25, .15}, {.3, .2, .05, .05, .4});
  EXPECT_NEAR(measured("spearman_agreement", trial, nothing).value, 0.28947368421052633, 1e-14);
  EXPECT_NEAR(measured("kendall_agreement", trial, nothing).value, 0.2222222222222222, 1e-14);
  EXPECT_NEAR(measured("top_k_agreement", trial, nothing, {{"k", "2"}}).value, .5, 1e-15);
  const Trial flat = trial_of(sample, std::vector<double>(5, 0.0), {1, 2, 3, 4, 5});
  EXPECT_TRUE(std::isnan(measured("spearman_agreement", flat, nothing).value));
  EXPECT_TRUE(std::isnan(measured("kendall_agreement", flat, nothing).value));
  const Evaluation& spearman = find_evaluation("spearman_agreement");
  const MethodSpec blank_out = spearman.reference(MethodOptions(spearman.name, spearman.options, {}));
  EXPECT_EQ(blank_out.name, "occlusion");
  EXPECT_EQ(blank_out.options.at("quantity"), "probability");
}

TEST(Evaluation, CuesAreTheSpecificationsNumbers) {
  Sample sample;
  for (Index t = 0; t < 5; ++t) sample.tokens.push_back({.begin = 2 * t, .end = 2 * t + 1});
  sample.cues = {{2, 3}, {6, 7}};  // tokens 1 and 3
  const std::vector<double> row{.40, .10, .10, .25, .15};
  const Trial trial{sample, {std::vector<double>(5, .2), row}, {}, {}};
  const EvaluationValue mass = measured("cue_mass", trial, nothing);
  EXPECT_NEAR(mass.value, .35, 1e-15);
  ASSERT_EQ(mass.curve.size(), 2U);
  EXPECT_NEAR(mass.curve[0], .4, 1e-15);
  EXPECT_NEAR(measured("cue_precision", trial, nothing).value, .45, 1e-15);
  sample.cues = {{2, 7}};  // a word of three tokens counts by its first
  EXPECT_NEAR(measured("cue_mass", trial, nothing).value, .10, 1e-15);
  sample.cues = {};
  EXPECT_TRUE(std::isnan(measured("cue_mass", trial, nothing).value));
  EXPECT_TRUE(std::isnan(measured("cue_precision", trial, nothing).value));
}

TEST(Evaluation, ProbesAgreeOverLayersByHand) {
  Sample sample;
  for (Index t = 0; t < 2; ++t) sample.tokens.push_back({.begin = 2 * t, .end = 2 * t + 1});
  sample.cues = {{0, 1}};
  sample.probe_right = {false, true, true};
  const Trial trial{sample, {{.1, .9}, {.5, .5}, {.3, .7}}, {}, {}};
  const EvaluationValue made = measured("probing_agreement", trial, nothing);
  EXPECT_EQ(made.parts, (std::vector<double>{.1, .5, .3, 0, 1, 1}));
  // Ranks 1 3 2 against 1 2½ 2½: ρ = √3/2.
  EXPECT_NEAR(find_evaluation("probing_agreement").combine(made.parts), std::sqrt(.75), 1e-14);
  const Trial single{sample, {{.1, .9}}, {}, {}};
  EXPECT_TRUE(std::isnan(measured("probing_agreement", single, nothing).value));
}

TEST(Evaluation, SanityByHand) {
  const Sample sample = sample_of_units(3);
  Trial trial = trial_of(sample, {1, 2, 4});
  trial.varied = {{4, 2, 1}, {1, 2, 4}, {5, 5, 5}};
  const EvaluationValue forgotten = measured("parameter_randomisation", trial, nothing);
  EXPECT_EQ(forgotten.curve, (std::vector<double>{1, 1, 0})) << "turned round, the same, no order";
  EXPECT_EQ(forgotten.value, 0);
  EXPECT_NEAR(measured("class_sensitivity", trial, nothing).value, -1, 1e-15);
  EXPECT_NEAR(measured("repeatability", trial, nothing).value, .75, 1e-15) << "3 of 4";
  trial.varied = {{1, 2, 4}};
  EXPECT_EQ(measured("input_invariance", trial, nothing).value, 0);
  trial.varied = {{}};
  EXPECT_TRUE(std::isnan(measured("class_sensitivity", trial, nothing).value)) << "no other class";
  ModelInfo info;
  info.last().layers = 12;
  const Evaluation& random = find_evaluation("parameter_randomisation");
  const std::vector<Variation> stages =
      random.variations(info, MethodOptions(random.name, random.options, {{"stages", "4"}}));
  ASSERT_EQ(stages.size(), 4U);
  EXPECT_EQ(stages[0].from, 12) << "the head alone";
  EXPECT_EQ(stages[1].from, 8);
  EXPECT_EQ(stages[2].from, 4);
  EXPECT_EQ(stages[3].from, -1) << "all of it";
}

TEST(Evaluation, MixingByHand) {
  const double no = std::nan("");
  const Sample sample;
  Trial trial{sample, {{0}}, {}, {}};
  EXPECT_TRUE(std::isnan(measured("self_contribution", trial, nothing).value)) << "no map";
  EXPECT_TRUE(std::isnan(measured("foreign_contributor", trial, nothing).value));
  // Own shares ½, 3/5, 1 (the future is forbidden), then ½, 0 (nothing is given), ¼ of signed scores.
  trial.maps = {{.5, .25, .25, .1, .3, .1, 0, 0, 2}, {.5, no, no, 0, 0, no, 1, -2, -1}};
  const EvaluationValue own = measured("self_contribution", trial, nothing);
  ASSERT_EQ(own.curve.size(), 2U);
  EXPECT_NEAR(own.curve[0], (.5 + .6 + 1) / 3, 1e-15);
  EXPECT_NEAR(own.value, (1 + 0 + .25) / 3, 1e-15);
  // In the second layer the last token owes more to the one before it; a row of zeros has no larger one.
  const EvaluationValue foreign = measured("foreign_contributor", trial, nothing);
  EXPECT_EQ(foreign.curve[0], 0);
  EXPECT_NEAR(foreign.value, 1.0 / 3, 1e-15);
  trial.maps = {{.5, .5, .6, .4}};
  EXPECT_EQ(measured("foreign_contributor", trial, nothing).value, .5)
      << "the first shares the largest place";
  trial.maps = {{1}};
  EXPECT_EQ(measured("self_contribution", trial, nothing).value, 1) << "one token";
  EXPECT_EQ(measured("foreign_contributor", trial, nothing).value, 0);
}

TEST(Evaluation, SetsOfUnitsByTheirDefinition) {
  // Of a model that is not additive, over the very sets that were asked for.
  const Sample sample = sample_of_units(7);
  const std::vector<double> scores{.3, -.1, 0, .05, -.2, .4, .3};
  const Trial trial = trial_of(sample, scores);
  const ByKept p = [](const std::vector<bool>& kept) {
    double z = -.2;
    for (std::size_t i = 0; i < kept.size(); ++i)
      for (std::size_t j = 0; j <= i; ++j)
        if (kept[i] && kept[j]) z += .37 * std::sin(static_cast<double>(3 * i + 5 * j));
    return 1 / (1 + std::exp(-z));
  };
  const auto sums_and_falls = [&](const char* name, const Given& given) {
    const Evaluation& evaluation = find_evaluation(name);
    const auto asked = evaluation.asks(trial, MethodOptions(evaluation.name, evaluation.options, given));
    std::vector<std::pair<double, double>> pairs;
    for (std::size_t k = 1; k < asked.size(); ++k) {
      double sum = 0;
      for (std::size_t u = 0; u < 7; ++u) sum += asked[k].kept[u] ? 0 : scores[u];
      pairs.emplace_back(sum, p(asked[0].kept) - p(asked[k].kept));
    }
    return pairs;
  };
  const Given three{{"shares", "43"}, {"subsets", "15"}};
  const auto of_three = sums_and_falls("sensitivity_n", three);
  ASSERT_EQ(of_three.size(), 15U);
  double a = 0, b = 0, aa = 0, bb = 0, ab = 0;
  for (const auto& [sum, fall] : of_three) {
    a += sum;
    b += fall;
    aa += sum * sum;
    bb += fall * fall;
    ab += sum * fall;
  }
  EXPECT_NEAR(measured("sensitivity_n", trial, p, three).value,
              (15 * ab - a * b) / std::sqrt((15 * aa - a * a) * (15 * bb - b * b)), 1e-12);
  const auto any = sums_and_falls("infidelity", {});
  double plain = 0, xy = 0, xx = 0, yy = 0;
  for (const auto& [sum, fall] : any) {
    plain += (sum - fall) * (sum - fall) / 50;
    xy += sum * fall / 50;
    xx += sum * sum / 50;
    yy += fall * fall / 50;
  }
  EXPECT_NEAR(measured("infidelity", trial, p, {{"scaled", "no"}}).value, plain, 1e-14);
  EXPECT_NEAR(measured("infidelity", trial, p).value, yy - xy * xy / xx, 1e-14)
      << "the least over all scales";
}

// Independent coins for six units, given that one falls: Σ_k k C(6, k) / (2⁶ − 1) = 192 / 63 units on
// average, and each subset as often as any other.
TEST(Evaluation, InfidelityTakesEverySubsetAlike) {
  std::map<std::vector<bool>, int> seen;
  double taken = 0;
  const int subsets = 6300;
  const std::map<std::string, std::string> given{{"subsets", std::to_string(subsets)}};
  const Evaluation& metric = find_evaluation("infidelity");
  const std::vector<Perturbation> asked =
      metric.asks(trial_of(sample_of_units(6), std::vector<double>(6, 1.0)),
                  MethodOptions(metric.name, metric.options, given));
  ASSERT_EQ(asked.size(), static_cast<std::size_t>(subsets) + 1);
  for (const Perturbation& one : std::span(asked).subspan(1)) {
    ++seen[one.kept];
    taken += static_cast<double>(std::count(one.kept.begin(), one.kept.end(), false));
  }
  EXPECT_EQ(seen.size(), 63U);
  EXPECT_EQ(seen.count(std::vector<bool>(6, true)), 0U) << "nothing taken away says nothing";
  EXPECT_NEAR(taken / subsets, 192.0 / 63, 5 * 1.2 / std::sqrt(subsets));
  for (const auto& [kept, count] : seen) EXPECT_NEAR(count, 100, 60);
}

TEST(Evaluation, CuesAtTheEnds) {
  Sample sample;
  sample.tokens = {{.begin = 0, .end = 1}};
  sample.cues = {{0, 1}};
  const Trial one{sample, {{.3}}, {}, {}};
  EXPECT_EQ(measured("cue_mass", one, nothing).value, 1) << "one token, and it is the cue";
  EXPECT_EQ(measured("cue_precision", one, nothing).value, 1);
  sample.tokens.push_back({.begin = 2, .end = 3});
  sample.tokens.push_back({.begin = 4, .end = 5});
  const Trial zero{sample, {{0, 0, 0}}, {}, {}};
  EXPECT_TRUE(std::isnan(measured("cue_mass", zero, nothing).value)) << "nothing to share";
  EXPECT_NEAR(measured("cue_precision", zero, nothing).value, 1.0 / 3, 1e-15) << "all taken at once";
  const Trial signed_row{sample, {{-.2, .1, .1}}, {}, {}};
  EXPECT_NEAR(measured("cue_mass", signed_row, nothing).value, .5, 1e-15);
  const Trial causal{sample, {{.2, .8, std::nan("")}}, {}, {}};
  EXPECT_NEAR(measured("cue_mass", causal, nothing).value, .2, 1e-15);
  EXPECT_NEAR(measured("cue_precision", causal, nothing).value, .5, 1e-15) << "second of two";
}

TEST(Evaluation, SanityAtTheEnds) {
  const Sample none = sample_of_units(0), one = sample_of_units(1), two = sample_of_units(2);
  Trial empty = trial_of(none, {});
  empty.varied = {{}, {}, {}};
  for (const char* name : {"parameter_randomisation", "class_sensitivity", "repeatability",
                           "input_invariance", "kendall_agreement"})
    EXPECT_TRUE(std::isnan(measured(name, empty, nothing).value)) << name;
  Trial single = trial_of(one, {.4}, {.1});
  single.varied = {{.3}, {.3}, {.3}};
  for (const char* name : {"parameter_randomisation", "class_sensitivity", "kendall_agreement"})
    EXPECT_TRUE(std::isnan(measured(name, single, nothing).value)) << name << ": one has no order";
  EXPECT_NEAR(measured("repeatability", single, nothing).value, .25, 1e-15);
  Trial zero = trial_of(two, {0, 0});
  zero.varied = {{0, 0}, {0, 0}, {0, 0}};
  EXPECT_EQ(measured("parameter_randomisation", zero, nothing).value, 0) << "no order, no likeness";
  EXPECT_TRUE(std::isnan(measured("class_sensitivity", zero, nothing).value));
  EXPECT_EQ(measured("repeatability", zero, nothing).value, 0);
  zero.varied = {{0, 1}};
  EXPECT_TRUE(std::isinf(measured("input_invariance", zero, nothing).value)) << "something out of nothing";
}

TEST(Evaluation, AProbabilityOfZeroHasALogarithm) {
  const Sample sample = sample_of_units(1);
  const double value = measured("log_odds", trial_of(sample, {1}), additive({.5})).value;
  EXPECT_NEAR(value, std::log(std::numeric_limits<double>::min()) - std::log(.5), 1e-9);
}

TEST(Evaluation, NothingToTakeAwayHasNoValue) {
  const Sample sample = sample_of_units(0);
  const Trial trial = trial_of(sample, {});
  for (const char* name : {"deletion", "insertion", "comprehensiveness", "sufficiency", "log_odds",
                           "sensitivity_n", "infidelity", "spearman_agreement", "top_k_agreement"})
    EXPECT_TRUE(std::isnan(measured(name, trial, nothing).value)) << name;
}

TEST(Evaluation, OneUnitHasValuesButNoOrder) {
  const Sample sample = sample_of_units(1);
  const Trial trial = trial_of(sample, {.3}, {.2});
  const ByKept p = additive({.8});
  EXPECT_NEAR(measured("deletion", trial, p).value, .4, 1e-15) << "rounded halves up: gone at the half";
  EXPECT_NEAR(measured("deletion", trial, p, {{"steps", "0"}}).value, .4, 1e-15);
  EXPECT_NEAR(measured("comprehensiveness", trial, p).value, .8, 1e-15);
  EXPECT_NEAR(measured("sufficiency", trial, p).value, 0, 1e-15);
  EXPECT_EQ(measured("top_k_agreement", trial, p).value, 1);
  EXPECT_TRUE(std::isnan(measured("spearman_agreement", trial, p).value));
  EXPECT_TRUE(std::isnan(measured("sensitivity_n", trial, p).value));
}

TEST(Evaluation, EqualScoresGoFromLeftToRight) {
  const Sample sample = sample_of_units(3);
  const Trial trial = trial_of(sample, {0, 0, 0});
  EXPECT_NEAR(measured("deletion", trial, additive({1, 0, 0}), {{"steps", "0"}}).value, 1.0 / 6, 1e-15);
  EXPECT_NEAR(measured("deletion", trial, additive({0, 0, 1}), {{"steps", "0"}}).value, 5.0 / 6, 1e-15);
}

TEST(Evaluation, NothingMarkedHasNoValue) {
  Sample sample;
  sample.annotated = true;
  sample.words = {{0, 2, false}, {3, 5, false}};
  sample.tokens = {{.begin = 0, .end = 2}, {.begin = 3, .end = 5}};
  const Trial trial{sample, {{.1, .2}}, {}, {}};
  for (const char* name : {"token_f1", "iou_f1", "auprc"})
    EXPECT_TRUE(std::isnan(measured(name, trial, nothing).value)) << name;
  EXPECT_THROW(
      find_evaluation("token_f1")
          .points({}, MethodOptions("token_f1", find_evaluation("token_f1").options, {{"k", "ten"}})),
      InputError);
}

TEST(Evaluation, PixelsAsPublished) {
  // 20 pixels in a row of two cells; correct until more than half of the pixels are black: accuracy
  // 1 at 0 … 0.5 and 0 from 0.6 on. AUC = 100 (0.5 + 0.05).
  Sample sample;
  sample.width = 20;
  sample.height = 1;
  sample.grid_width = 2;
  sample.grid_height = 1;
  sample.gold = 3;
  const Trial trial{sample, {{1.0, 0.0}}, {}, {}};
  const Evaluation& evaluation = find_evaluation("pixel_perturbation");
  const MethodOptions options(evaluation.name, evaluation.options, {});
  std::vector<Reply> replies;
  for (const Perturbation& asked : evaluation.asks(trial, options)) {
    EXPECT_EQ(asked.of, Perturbation::Of::Pixels);
    const auto black = std::count(asked.kept.begin(), asked.kept.end(), false);
    EXPECT_TRUE(black == 0 || !asked.kept[0]) << "the highest first";
    replies.push_back({.predicted = black <= 10 ? 3 : 1});
  }
  ASSERT_EQ(replies.size(), 10U);
  const EvaluationValue made = evaluation.measure(trial, options, replies);
  EXPECT_NEAR(made.value, 55, 1e-12);
  // The lowest first, and of equal ones from left to right: a flat map loses its first two pixels at 0.1.
  const MethodOptions least(evaluation.name, evaluation.options, {{"order", "least"}});
  // Beyond the middle of the second cell, from pixel 15 on, the map is 0.
  const std::vector<bool> lowest = evaluation.asks(trial, least)[1].kept;
  EXPECT_EQ(std::vector<bool>(lowest.begin() + 14, lowest.begin() + 18),
            (std::vector<bool>{true, false, false, true}));
  const Trial flat{sample, {{.5, .5}}, {}, {}};
  const std::vector<bool> kept = evaluation.asks(flat, options)[1].kept;
  EXPECT_EQ(std::vector<bool>(kept.begin(), kept.begin() + 3), (std::vector<bool>{false, false, true}));
  for (Reply& reply : replies) reply.predicted = 3;
  EXPECT_NEAR(evaluation.measure(trial, options, replies).value, 90, 1e-12) << "the most there can be";
}

}  // namespace
}  // namespace headwater
