// With z̄, ȳ the weighted means, A = Σ w (z − z̄)(z − z̄)ᵀ + λ I and e the residuals,
//
//   φ = A⁻¹ Σ w (z − z̄)(y − ȳ),   Cov φ ≈ A⁻¹ (Σ w² e² (z − z̄)(z − z̄)ᵀ) A⁻¹ · m / (m − n − 1)
//
// (White, 1980). With A = Σ z zᵀ, b = Σ z y and the constraint 1ᵀφ = total (Lundberg & Lee, 2017; Covert &
// Lee, 2021),
//
//   φ = A⁻¹ (b − μ 1),  μ = (1ᵀA⁻¹b − total) / 1ᵀA⁻¹1,   P = A⁻¹ − A⁻¹ 1 1ᵀ A⁻¹ / 1ᵀA⁻¹1
//   Cov φ ≈ P (Σ_pairs s sᵀ) P · p / (p − n + 1),   s = Σ of z e over the pair, p pairs
#include "numerics/least_squares.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include <Eigen/Dense>

namespace headwater {

namespace {

using Vector = Eigen::VectorXd;
using Square = Eigen::MatrixXd;

// By Cholesky's factor; nullopt if the matrix is not safely positive.
std::optional<Square> inverse(const Square& a) {
  const Eigen::LLT<Square> factor(a);
  const double least = factor.matrixLLT().diagonal().cwiseAbs2().minCoeff();
  if (factor.info() != Eigen::Success || !(least > 1e-12 * a.diagonal().maxCoeff())) return {};
  return factor.solve(Square::Identity(a.rows(), a.cols()));
}

Vector numbers(const std::vector<bool>& z) {
  Vector v(static_cast<Eigen::Index>(z.size()));
  std::copy(z.begin(), z.end(), v.begin());
  return v;
}

std::vector<double> doubles_of(const Vector& v) {
  return {v.begin(), v.end()};
}

// √diag(P M P · factor).
std::vector<double> sandwich(const Square& bread, const Square& filling, double factor) {
  const Vector variances = (bread * filling).cwiseProduct(bread).rowwise().sum() * factor;
  return doubles_of(variances.cwiseMax(0.0).cwiseSqrt());
}

// m / (m − used); a fit with no sample to spare has no spread to judge by, and then the factor is m.
double small_sample(std::size_t m, std::size_t used) {
  return static_cast<double>(m) / static_cast<double>(m > used ? m - used : 1);
}

double share_explained(double residual, double spread) {
  return spread > 0 ? 1 - residual / spread : 1;
}

}  // namespace

std::optional<Fit> weighted_ridge(const std::vector<std::vector<bool>>& z, std::span<const double> y,
                                  std::span<const double> weights, double ridge) {
  const std::size_t m = z.size();
  const auto n = static_cast<Eigen::Index>(z.front().size());
  double total = 0, mean_y = 0;
  Vector mean_z = Vector::Zero(n);
  for (std::size_t k = 0; k < m; ++k) {
    total += weights[k];
    mean_y += weights[k] * y[k];
    mean_z += weights[k] * numbers(z[k]);
  }
  mean_y /= total;
  mean_z /= total;
  Square a = ridge * Square::Identity(n, n);
  Vector b = Vector::Zero(n);
  for (std::size_t k = 0; k < m; ++k) {
    const Vector v = numbers(z[k]) - mean_z;
    a += weights[k] * v * v.transpose();
    b += weights[k] * (y[k] - mean_y) * v;
  }
  const std::optional<Square> inverted = inverse(a);
  if (!inverted) return {};
  const Vector phi = *inverted * b;
  Fit fit{.coefficients = doubles_of(phi), .standard_errors = {}, .intercept = mean_y - mean_z.dot(phi)};
  Square filling = Square::Zero(n, n);
  Vector slope = -ridge * phi, scale = Vector::Zero(n);
  double residual = 0, spread = 0;
  for (std::size_t k = 0; k < m; ++k) {
    const Vector v = numbers(z[k]) - mean_z;
    const double off = y[k] - mean_y, e = off - v.dot(phi);
    filling += weights[k] * weights[k] * e * e * v * v.transpose();
    residual += weights[k] * e * e;
    spread += weights[k] * off * off;
    slope += weights[k] * e * v;
    scale += (weights[k] * off * v).cwiseAbs();
  }
  fit.standard_errors = sandwich(*inverted, filling, small_sample(m, z.front().size() + 1));
  fit.r_squared = share_explained(residual, spread);
  fit.stationarity = (scale.array() > 0).select(slope.array().abs() / scale.array(), 0.0).maxCoeff();
  return fit;
}

std::optional<Fit> paired_least_squares(const std::vector<std::vector<bool>>& z, std::span<const double> y,
                                        double total) {
  const std::size_t m = z.size(), units = z.front().size();
  const auto n = static_cast<Eigen::Index>(units);
  Square a = Square::Zero(n, n);
  Vector b = Vector::Zero(n);
  for (std::size_t k = 0; k < m; ++k) {
    const Vector v = numbers(z[k]);
    a += v * v.transpose();
    b += y[k] * v;
  }
  const std::optional<Square> inverted = inverse(a);
  if (!inverted) return {};
  const Vector along = inverted->rowwise().sum();  // A⁻¹ 1
  const double norm = along.sum(), mu = (along.dot(b) - total) / norm;
  const Vector phi = *inverted * b - mu * along;
  Fit fit{.coefficients = doubles_of(phi), .standard_errors = {}};
  Square filling = Square::Zero(n, n);
  double residual = 0, spread = 0;
  const double mean = std::accumulate(y.begin(), y.end(), 0.0) / static_cast<double>(m);
  for (std::size_t k = 0; k < m; k += 2) {
    Vector s = Vector::Zero(n);
    for (std::size_t i = k; i < std::min(m, k + 2); ++i) {
      const Vector v = numbers(z[i]);
      const double e = y[i] - v.dot(phi);
      s += e * v;
      residual += e * e;
      spread += (y[i] - mean) * (y[i] - mean);
    }
    filling += s * s.transpose();
  }
  const Square projector = *inverted - along * along.transpose() / norm;
  fit.standard_errors = sandwich(projector, filling, small_sample((m + 1) / 2, units - 1));
  fit.r_squared = share_explained(residual, spread);
  return fit;
}

}  // namespace headwater
