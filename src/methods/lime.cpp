// LIME (Ribeiro, Singh & Guestrin, 2016): a linear model of the output around the input. Coalitions z of the
// n units are drawn as the authors do for text: the number of absent units uniformly from 1 … n, then which;
// the first sample is the input itself. Nearer ones count more,
//
//   π(z) = exp(−D(z)² / 2σ²),   D(z) = 1 − cos(z, 1) = 1 − √(|z| / n)
//   score = argmin_φ Σ_z π(z) (F(z) − b − z·φ)² + λ ‖φ‖²
//
// Standard errors are White's, from the residuals of the linear model.
#include <algorithm>
#include <cmath>
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

struct Settings {
  std::size_t samples;
  double width, ridge;
  std::uint64_t seed;
};

Settings settings_of(const MethodOptions& options, std::size_t units) {
  const int samples = options.integer("samples");
  const double width = options.number("kernel_width");
  if (samples == 1) options.refuse("samples", "0 or at least 2");
  if (!(width > 0)) options.refuse("kernel_width", "a number above 0");
  return {samples > 0 ? as_size(samples) : 2 * units + 512, width, options.number("ridge"),
          static_cast<std::uint64_t>(options.integer("seed"))};
}

std::vector<Coalition> neighbours(std::size_t units, const Settings& settings) {
  RandomSequence random(settings.seed);
  std::vector<Coalition> coalitions{Coalition(units, true)};
  while (coalitions.size() < settings.samples) {
    Coalition absent = random.choice(units, 1 + random.below(units));
    absent.flip();
    coalitions.push_back(std::move(absent));
  }
  return coalitions;
}

std::vector<double> kernel(const std::vector<Coalition>& coalitions, double width) {
  std::vector<double> weights;
  for (const Coalition& z : coalitions) {
    const auto present = static_cast<double>(std::count(z.begin(), z.end(), true));
    const double distance = 1 - std::sqrt(present / static_cast<double>(z.size()));
    weights.push_back(std::exp(-distance * distance / (2 * width * width)));
  }
  return weights;
}

Fit surrogate(const Game& game, const Settings& settings) {
  const std::vector<Coalition> coalitions = neighbours(game.units().size(), settings);
  const std::vector<double> values = game.values(coalitions);
  const std::optional<Fit> fit =
      weighted_ridge(coalitions, values, kernel(coalitions, settings.width), settings.ridge);
  if (!fit)
    throw InputError(
        fmt::format("lime: option samples: expected enough to distinguish {} units without ridge, found {}; "
                    "raise samples or ridge",
                    game.units().size(), settings.samples));
  return *fit;
}

Attribution run(const Study& study, const MethodOptions& options) {
  const Objective objective(study, quantity_of(options.text("quantity")));
  const Game game(study, objective, {.replace = options.text("replace"), .unit = options.text("unit")});
  const Settings settings = settings_of(options, game.units().size());
  const Fit fit = game.units().size() > 0 ? surrogate(game, settings) : Fit{.r_squared = 1};
  const Index T = study.size();
  Attribution result{.maps = {{.axes = {Axis::Units},
                               .values = per_token(game.units(), fit.coefficients, T, study.info().dtype)}}};
  result.details.push_back(
      {"standard_error", {Axis::Units}, per_token(game.units(), fit.standard_errors, T, study.info().dtype)});
  result.details.push_back({"r_squared",
                            {Axis("value")},
                            Tensor::of({1}, std::vector<double>{fit.r_squared}, study.info().dtype)});
  result.checks = {check_nothing_removed(game, objective.value()),
                   check_within("no better linear model nearby", fit.stationarity, 1e-9)};
  result.notes.push_back(fmt::format(
      "{} samples; the linear model explains {:.1f} % of the output's spread around the input{}. Removed "
      "units are replaced by {}.",
      settings.samples, 100 * fit.r_squared, fit.r_squared < 0.5 ? ", too little to trust its weights" : "",
      describe(game.replacement())));
  describe_units(game.units(), fit.coefficients, result);
  return result;
}

std::size_t planned_bytes(const ModelInfo& info, Index tokens, const MethodOptions& options) {
  return sampled_game_bytes(info, tokens, options.integer("samples"), 4);
}

}  // namespace

extern const Method lime{
    .name = "lime",
    .summary = "Weights of a linear model fitted to the output on inputs with random units removed.",
    .title = "LIME",
    .formula = "score = argmin_φ Σ_z π(z) (F(z) − b − z·φ)² + λ‖φ‖²,  π(z) = exp(−(1 − √(|z|/n))² / 2σ²)",
    .paper =
        "Ribeiro, Singh and Guestrin, 2016: “Why Should I Trust You?”: Explaining the Predictions of Any "
        "Classifier. KDD",
    .cost = "One forward run per distinct sample, in batches.",
    .limits =
        "It fits a linear model to one that is not linear; R² says how well. Ridge shrinks the weights, "
        "sampling adds noise (see standard_error), and kernel width and replacement change the result.",
    .options = {quantity_option,
                absent_option,
                unit_option,
                {"samples", "integer", "0", "number of coalitions; 0: 2 · units + 512", 0, 1e6},
                {"kernel_width", "number", "0.25", "σ, the width of the weighting"},
                {"ridge", "number", "1", "λ, the penalty on large weights", 0},
                seed_option},
    .sites = {Site::ResidPre},
    .tiles = true,
    .needs_target = true,
    .compute = run,
    .planned_bytes = planned_bytes,
};

}  // namespace headwater
