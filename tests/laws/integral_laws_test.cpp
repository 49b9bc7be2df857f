// Checks can be believed: over random small models of every family and activation, wherever the checks of
// integrated gradients or of attention attribution pass, no score is further off than the tolerance. The
// judge is a rule of many equal steps, which kinks do not disturb, where it is itself complete to a tenth of
// the tolerance.
//
// The many models take minutes and are looked at by hand:
//
//   build/release/tests/headwater_tests --gtest_also_run_disabled_tests --gtest_filter='IntegralLaws.*Many*'

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numeric>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "explain/attention_attribution.h"
#include "methods/method.h"
#include "support/random_models.h"
#include "support/tiny_models.h"

namespace headwater::testing {
namespace {

constexpr double tolerance = 0.01;

// The largest difference as a share of the largest score.
double apart(const std::vector<double>& found, const std::vector<double>& exact) {
  double most = 0, largest = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    most = std::max(most, std::abs(found[i] - exact[i]));
    largest = std::max(largest, std::abs(exact[i]));
  }
  return largest > 0 ? most / largest : 0;
}

struct Tally {
  int looked_at = 0, passed = 0, believed_and_wrong = 0, unjudged = 0;
  double worst = 0;  // of those that passed

  void count(bool passes, double error) {
    ++looked_at;
    if (!passes) return;
    ++passed;
    worst = std::max(worst, error);
    if (error > tolerance) ++believed_and_wrong;
  }
  std::string text() const {
    return fmt::format(
        "{} unjudged, {} looked at, {} passed ({:.1f} %), of which off by more than the tolerance {}; worst "
        "{:.2g}",
        unjudged, looked_at, passed, 100.0 * passed / looked_at, believed_and_wrong, worst);
  }
};

bool all_pass(const Attribution& result) {
  return std::all_of(result.checks.begin(), result.checks.end(), [](const Check& c) { return c.passed; });
}

void judge_integrated_gradients(const Study& study, const std::string& baseline, Tally& tally) {
  const Method& method = find_method("integrated_gradients");
  const auto explain = [&](std::map<std::string, std::string> options) {
    options["baseline"] = baseline;
    return method.run(study, MethodOptions(method.name, method.options, options));
  };
  const auto judge = [&](const char* steps) {
    return explain({{"steps", steps}, {"rule", "midpoint"}, {"tolerance", "0.001"}});
  };
  // From zeros, single scores change where equal steps are too long: a judge must agree with one half as
  // fine.
  for (const auto& [half, all] : {std::pair{"1000", "2000"}, std::pair{"5000", "10000"}}) {
    const Attribution exact = judge(all);
    if (!all_pass(exact) ||
        apart(judge(half).scores().to_doubles(), exact.scores().to_doubles()) > tolerance / 5)
      continue;
    const Attribution found = explain({});
    return tally.count(all_pass(found), apart(found.scores().to_doubles(), exact.scores().to_doubles()));
  }
  ++tally.unjudged;
}

void judge_attention(const Study& study, Quantity quantity, Tally& tally) {
  const Objective objective(study, quantity);
  for (const int steps : {1000, 10000}) {
    const AttentionAttribution exact =
        attribute_attention(study, objective, {.nodes = quadrature(Rule::Midpoint, steps)});
    if (completeness_gap(exact) > tolerance / 10) continue;
    const AttentionAttribution found = attribute_attention(study, objective, {.tolerance = tolerance});
    const std::vector<double> scores = found.scores().to_doubles(), right = exact.scores().to_doubles();
    const auto cells = static_cast<std::ptrdiff_t>(scores.size()) / study.info().last().layers;
    double worst = 0;
    for (std::ptrdiff_t at = 0; at < static_cast<std::ptrdiff_t>(scores.size()); at += cells)
      worst = std::max(worst, apart({scores.begin() + at, scores.begin() + at + cells},
                                    {right.begin() + at, right.begin() + at + cells}));
    return tally.count(resolved(found, tolerance), worst);
  }
  ++tally.unjudged;
}

struct Tallies {
  Tally integrated, from_zero, attention;
};

enum class How { Few, Many };

Tallies look_at(int count, unsigned seed, How how) {
  Tallies tallies;
  for (const Draw& draw : draws(count, seed)) {
    const std::unique_ptr<Model> model = random_model(draw, DType::Float64);
    Study study(*model, random_batch(model->info(), 1, 5, draw.seed), {});
    study.special_ids = {.mask = 1, .unknown = 2, .pad = 0};
    study.aim({.position = study.logits().rank() == 3 ? study.size() - 1 : -1, .index = 0});
    judge_integrated_gradients(study, "auto", tallies.integrated);
    judge_attention(study, Quantity::Logit, tallies.attention);
    if (how == How::Few) continue;
    judge_integrated_gradients(study, "zero", tallies.from_zero);
    judge_attention(study, Quantity::Probability, tallies.attention);
  }
  return tallies;
}

void expect_believable(const Tally& tally, double least_share) {
  EXPECT_EQ(tally.believed_and_wrong, 0) << tally.text();
  EXPECT_GE(tally.passed, least_share * tally.looked_at) << tally.text();
}

TEST(IntegralLaws, ChecksOfRandomModelsCanBeBelieved) {
  const Tallies tallies = look_at(20, 100, How::Few);
  expect_believable(tallies.integrated, 0.6);
  expect_believable(tallies.attention, 0.9);
}

TEST(IntegralLaws, DISABLED_ChecksOfManyRandomModelsCanBeBelieved) {
  const Tallies tallies = look_at(204, 20000, How::Many);
  std::cout << "integrated gradients: " << tallies.integrated.text() << '\n'
            << "from zeros:           " << tallies.from_zero.text() << '\n'
            << "attention:            " << tallies.attention.text() << '\n';
  expect_believable(tallies.integrated, 0.6);
  expect_believable(tallies.from_zero, 0.4);
  expect_believable(tallies.attention, 0.9);
}

}  // namespace
}  // namespace headwater::testing
