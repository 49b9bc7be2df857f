// Kernel SHAP (Lundberg & Lee, 2017): Shapley values of the units, the only scores that share F(x) − F(∅)
// fairly among them,
//
//   φ_u = Σ_{S ∌ u} |S|! (n − |S| − 1)! / n! · (F(S ∪ u) − F(S)),     Σ_u φ_u = F(x) − F(∅)
//
// computed by that sum when all 2ⁿ coalitions are within the sample budget. Otherwise coalitions are drawn
// with probability proportional to the Shapley kernel (sizes s by 1 / (s (n − s)), then which), each with its
// complement (Covert & Lee, 2021), and
//
//   φ = argmin Σ_z (F(z) − F(∅) − z·φ)²  with  Σ φ = F(x) − F(∅)
//
// Standard errors are those of this regression, pairs taken as one draw.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <headwater/error.h>

#include "explain/game.h"
#include "methods/method.h"
#include "numerics/least_squares.h"
#include "numerics/random.h"
#include "study/map_checks.h"

namespace headwater {

namespace {

constexpr std::size_t most_enumerated = 20;  // units; beyond, 2ⁿ is no budget

struct Settings {
  std::size_t samples;
  std::uint64_t seed;
};

Settings settings_of(const MethodOptions& options, std::size_t units) {
  const int samples = options.integer("samples");
  if (samples != 0 && samples < 4) options.refuse("samples", "0 or at least 4");
  return {samples > 0 ? as_size(samples) : 2 * units + 512,
          static_cast<std::uint64_t>(options.integer("seed"))};
}

struct Shapley {
  Fit fit;
  double change = 0;  // F(x) − F(∅)
  bool exact = true;
};

// By the definition; coalition number s has unit u present where bit u of s is set.
Shapley enumerate(const Game& game) {
  const std::size_t n = game.units().size(), all = std::size_t{1} << n;
  std::vector<Coalition> coalitions(all, Coalition(n, false));
  for (std::size_t s = 0; s < all; ++s)
    for (std::size_t u = 0; u < n; ++u) coalitions[s][u] = ((s >> u) & 1U) != 0;
  const std::vector<double> values = game.values(coalitions);
  std::vector<double> share(n);  // |S|! (n − |S| − 1)! / n! = 1 / (n · C(n − 1, |S|))
  double choices = 1;
  for (std::size_t size = 0; size < n; ++size) {
    share[size] = 1 / (static_cast<double>(n) * choices);
    choices *= static_cast<double>(n - 1 - size) / static_cast<double>(size + 1);
  }
  Shapley result{
      .fit = {.coefficients = std::vector<double>(n, 0.0), .standard_errors = std::vector<double>(n, 0.0)},
      .change = values.back() - values.front()};
  for (std::size_t s = 0; s < all; ++s) {
    const auto size = as_size(std::count(coalitions[s].begin(), coalitions[s].end(), true));
    for (std::size_t u = 0; u < n; ++u)
      if (!coalitions[s][u])
        result.fit.coefficients[u] += share[size] * (values[s | (std::size_t{1} << u)] - values[s]);
  }
  return result;
}

std::vector<Coalition> draw_pairs(std::size_t units, const Settings& settings) {
  std::vector<double> up_to;  // cumulative weight of the sizes 1 … n − 1
  double sum = 0;
  for (std::size_t size = 1; size < units; ++size) {
    sum += 1 / (static_cast<double>(size) * static_cast<double>(units - size));
    up_to.push_back(sum);
  }
  RandomSequence random(settings.seed);
  std::vector<Coalition> drawn;
  while (drawn.size() + 4 <= settings.samples) {  // two of the budget are ∅ and everything
    const double at = random.uniform() * sum;
    const auto below = std::upper_bound(up_to.begin(), up_to.end(), at);
    const auto size = std::min<std::size_t>(units - 1, as_size(below - up_to.begin()) + 1);
    drawn.push_back(random.choice(units, size));
    drawn.push_back(drawn.back());
    drawn.back().flip();
  }
  return drawn;
}

Shapley regress(const Game& game, const Settings& settings) {
  const std::size_t n = game.units().size();
  std::vector<Coalition> coalitions = draw_pairs(n, settings);
  coalitions.emplace_back(n, true);
  coalitions.emplace_back(n, false);
  std::vector<double> values = game.values(coalitions);
  const double nothing = values.back(), change = values[values.size() - 2] - nothing;
  coalitions.resize(coalitions.size() - 2);
  values.resize(coalitions.size());
  for (double& v : values) v -= nothing;
  const std::optional<Fit> fit =
      coalitions.empty() ? std::nullopt : paired_least_squares(coalitions, values, change);
  if (!fit)
    throw InputError(fmt::format(
        "kernel_shap: option samples: expected enough to distinguish {} units, found {}; use at least {}", n,
        settings.samples, 4 * n + 4));
  return {.fit = *fit, .change = change, .exact = false};
}

Shapley shapley_values(const Game& game, const Settings& settings) {
  const std::size_t n = game.units().size();
  if (n == 0) return {};
  const bool all = n <= most_enumerated && (std::size_t{1} << n) <= settings.samples;
  return all ? enumerate(game) : regress(game, settings);
}

Check check_efficiency(const Shapley& shapley, const Tensor& scores) {
  double sum = 0, mass = 0;
  for (const double score : scores.to_doubles()) {
    sum += score;
    mass += std::abs(score);
  }
  return check_within("scores add up to F(x) − F(nothing)", std::abs(sum - shapley.change),
                      (scores.dtype() == DType::Float32 ? 1e-6 : 1e-12) * (mass + std::abs(shapley.change)));
}

Attribution run(const Study& study, const MethodOptions& options) {
  const Objective objective(study, quantity_of(options.text("quantity")));
  const Game game(study, objective, {.replace = options.text("replace"), .unit = options.text("unit")});
  const Settings settings = settings_of(options, game.units().size());
  const Shapley shapley = shapley_values(game, settings);
  const Index T = study.size();
  Attribution result{
      .maps = {{.axes = {Axis::Units},
                .values = per_token(game.units(), shapley.fit.coefficients, T, study.info().dtype)}}};
  result.details.push_back({"standard_error",
                            {Axis::Units},
                            per_token(game.units(), shapley.fit.standard_errors, T, study.info().dtype)});
  result.checks = {check_nothing_removed(game, objective.value()),
                   check_efficiency(shapley, result.scores())};
  const std::vector<double> scores = result.scores().to_doubles();
  result.accounted = {.sum = std::accumulate(scores.begin(), scores.end(), 0.0),
                      .of = shapley.change,
                      .what = "the change of F from an input with nothing"};
  if (shapley.exact) {
    result.notes.push_back(fmt::format("Exact: all {} coalitions of {} units were run.",
                                       std::size_t{1} << game.units().size(), game.units().size()));
  } else {
    result.details.push_back(
        {"r_squared",
         {Axis("value")},
         Tensor::of({1}, std::vector<double>{shapley.fit.r_squared}, study.info().dtype)});
    result.notes.push_back(
        fmt::format("Estimated from {} coalitions of {} units; an additive model explains {:.1f} % of their "
                    "spread.",
                    settings.samples, game.units().size(), 100 * shapley.fit.r_squared));
  }
  result.notes.push_back(fmt::format("Removed units are replaced by {}.", describe(game.replacement())));
  describe_units(game.units(), shapley.fit.coefficients, result);
  return result;
}

std::size_t planned_bytes(const ModelInfo& info, Index tokens, const MethodOptions& options) {
  return sampled_game_bytes(info, tokens, options.integer("samples"), 5);
}

}  // namespace

extern const Method kernel_shap{
    .name = "kernel_shap",
    .summary = "Shapley values: the change of the output, shared fairly among tokens, words or patches.",
    .title = "KernelSHAP",
    .formula = "φ[u] = Σ_{S∌u} |S|!(n−|S|−1)!/n! · (F(S∪u) − F(S));  Σ_u φ[u] = F(x) − F(∅)",
    .paper =
        "Lundberg and Lee, 2017: A Unified Approach to Interpreting Model Predictions. NeurIPS; Covert "
        "and Lee, 2021: Improving KernelSHAP. AISTATS",
    .cost = "One forward run per distinct coalition, in batches: all 2ⁿ if they are within the budget.",
    .limits =
        "It averages over inputs with most units missing, which the model has hardly seen, and the "
        "replacement matters. Estimates carry noise (see standard_error).",
    .options =
        {quantity_option,
         absent_option,
         unit_option,
         {"samples", "integer", "0",
          "largest number of coalitions; 0: 2 · units + 512. The result is exact if all 2ⁿ are within it", 0,
          1e6},
         seed_option},
    .sites = {Site::ResidPre},
    .tiles = true,
    .needs_target = true,
    .aliases = {"shap"},
    .compute = run,
    .planned_bytes = planned_bytes,
};

}  // namespace headwater
