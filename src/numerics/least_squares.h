// Linear models of a game: a weighted ridge regression (LIME) and least squares whose coefficients sum to a
// given number (kernel SHAP), both with standard errors that hold whatever the residuals' spread.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace headwater {

struct Fit {
  std::vector<double> coefficients;     // one per unit
  std::vector<double> standard_errors;  // from the residuals, by the sandwich formula
  double intercept = 0;
  double r_squared = 0;     // share of the (weighted) spread explained; 1 when there is none
  double stationarity = 0;  // how far the solution is from a minimum: relative size of the loss' gradient
};

// min Σ_k w_k (y_k − b − z_k·φ)² + λ ‖φ‖². nullopt: the samples do not determine φ (λ = 0).
std::optional<Fit> weighted_ridge(const std::vector<std::vector<bool>>& z, std::span<const double> y,
                                  std::span<const double> weights, double ridge);

// min Σ_k (y_k − z_k·φ)² with Σ φ = total. Samples 2k and 2k+1 were drawn as a pair. nullopt as above.
std::optional<Fit> paired_least_squares(const std::vector<std::vector<bool>>& z, std::span<const double> y,
                                        double total);

}  // namespace headwater
