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
#include <cmath>
#include <cstddef>

namespace headwater {

namespace {

using Vector = std::vector<double>;

// A symmetric matrix, row-major.
struct Square {
  std::size_t n;
  Vector a;
  explicit Square(std::size_t size) : n(size), a(size * size, 0.0) {}
  double& at(std::size_t i, std::size_t j) { return a[i * n + j]; }
  double at(std::size_t i, std::size_t j) const { return a[i * n + j]; }
  void add(double weight, const Vector& v) {  // += weight · v vᵀ
    for (std::size_t i = 0; i < n; ++i) {
      const double s = weight * v[i];
      for (std::size_t j = 0; s != 0 && j < n; ++j) at(i, j) += s * v[j];
    }
  }
  Vector times(const Vector& v) const {
    Vector out(n, 0.0);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) out[i] += at(i, j) * v[j];
    return out;
  }
};

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// By Cholesky's factor; nullopt if the matrix is not safely positive.
std::optional<Square> inverse(const Square& matrix) {
  const std::size_t n = matrix.n;
  Square l(n);  // lower factor
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, matrix.at(i, i));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = matrix.at(i, j);
      for (std::size_t k = 0; k < j; ++k) sum -= l.at(i, k) * l.at(j, k);
      if (i == j && !(sum > 1e-12 * largest)) return {};
      l.at(i, j) = i == j ? std::sqrt(sum) : sum / l.at(j, j);
    }
  Square result(n);
  for (std::size_t column = 0; column < n; ++column) {
    Vector x(n, 0.0);
    for (std::size_t i = column; i < n; ++i) {
      double sum = i == column ? 1 : 0;
      for (std::size_t k = column; k < i; ++k) sum -= l.at(i, k) * x[k];
      x[i] = sum / l.at(i, i);
    }
    for (std::size_t i = n; i-- > 0;) {
      double sum = x[i];
      for (std::size_t k = i + 1; k < n; ++k) sum -= l.at(k, i) * x[k];
      x[i] = sum / l.at(i, i);
    }
    for (std::size_t i = 0; i < n; ++i) result.at(i, column) = x[i];
  }
  return result;
}

Vector numbers(const std::vector<bool>& z) {
  return {z.begin(), z.end()};
}

// √diag(P M P · factor).
Vector sandwich(const Square& bread, const Square& filling, double factor) {
  Vector errors;
  for (std::size_t i = 0; i < bread.n; ++i) {
    const Vector row(bread.a.begin() + static_cast<std::ptrdiff_t>(i * bread.n),
                     bread.a.begin() + static_cast<std::ptrdiff_t>((i + 1) * bread.n));
    errors.push_back(std::sqrt(std::max(0.0, dot(row, filling.times(row)) * factor)));
  }
  return errors;
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
  const std::size_t m = z.size(), n = z.front().size();
  double total = 0, mean_y = 0;
  Vector mean_z(n, 0.0);
  for (std::size_t k = 0; k < m; ++k) {
    total += weights[k];
    mean_y += weights[k] * y[k];
    for (std::size_t u = 0; u < n; ++u) mean_z[u] += weights[k] * (z[k][u] ? 1 : 0);
  }
  mean_y /= total;
  for (double& v : mean_z) v /= total;
  const auto centred = [&](std::size_t k) {
    Vector v = numbers(z[k]);
    for (std::size_t u = 0; u < n; ++u) v[u] -= mean_z[u];
    return v;
  };
  Square a(n);
  Vector b(n, 0.0);
  for (std::size_t k = 0; k < m; ++k) {
    const Vector v = centred(k);
    a.add(weights[k], v);
    for (std::size_t u = 0; u < n; ++u) b[u] += weights[k] * v[u] * (y[k] - mean_y);
  }
  for (std::size_t u = 0; u < n; ++u) a.at(u, u) += ridge;
  const std::optional<Square> inverted = inverse(a);
  if (!inverted) return {};
  Fit fit{.coefficients = inverted->times(b), .standard_errors = {}};
  fit.intercept = mean_y - dot(mean_z, fit.coefficients);
  Square filling(n);
  Vector slope(n, 0.0), scale(n, 0.0);
  double residual = 0, spread = 0;
  for (std::size_t k = 0; k < m; ++k) {
    const Vector v = centred(k);
    const double e = y[k] - mean_y - dot(v, fit.coefficients);
    filling.add(weights[k] * weights[k] * e * e, v);
    residual += weights[k] * e * e;
    spread += weights[k] * (y[k] - mean_y) * (y[k] - mean_y);
    for (std::size_t u = 0; u < n; ++u) {
      slope[u] += weights[k] * e * v[u];
      scale[u] += std::abs(weights[k] * (y[k] - mean_y) * v[u]);
    }
  }
  fit.standard_errors = sandwich(*inverted, filling, small_sample(m, n + 1));
  fit.r_squared = share_explained(residual, spread);
  for (std::size_t u = 0; u < n; ++u)
    if (scale[u] > 0)
      fit.stationarity =
          std::max(fit.stationarity, std::abs(slope[u] - ridge * fit.coefficients[u]) / scale[u]);
  return fit;
}

std::optional<Fit> paired_least_squares(const std::vector<std::vector<bool>>& z, std::span<const double> y,
                                        double total) {
  const std::size_t m = z.size(), n = z.front().size();
  Square a(n);
  Vector b(n, 0.0);
  for (std::size_t k = 0; k < m; ++k) {
    const Vector v = numbers(z[k]);
    a.add(1, v);
    for (std::size_t u = 0; u < n; ++u) b[u] += v[u] * y[k];
  }
  const std::optional<Square> inverted = inverse(a);
  if (!inverted) return {};
  const Vector ones(n, 1.0), along = inverted->times(ones);  // A⁻¹ 1
  const double norm = dot(ones, along), mu = (dot(along, b) - total) / norm;
  Fit fit{.coefficients = inverted->times(b), .standard_errors = {}};
  for (std::size_t u = 0; u < n; ++u) fit.coefficients[u] -= mu * along[u];
  Square projector = *inverted;
  projector.add(-1 / norm, along);
  Square filling(n);
  double residual = 0, spread = 0, mean = 0;
  for (const double v : y) mean += v / static_cast<double>(m);
  for (std::size_t k = 0; k < m; k += 2) {
    Vector s(n, 0.0);
    for (std::size_t i = k; i < std::min(m, k + 2); ++i) {
      const Vector v = numbers(z[i]);
      const double e = y[i] - dot(v, fit.coefficients);
      for (std::size_t u = 0; u < n; ++u) s[u] += e * v[u];
      residual += e * e;
      spread += (y[i] - mean) * (y[i] - mean);
    }
    filling.add(1, s);
  }
  const std::size_t pairs = (m + 1) / 2;
  fit.standard_errors = sandwich(projector, filling, small_sample(pairs, n - 1));
  fit.r_squared = share_explained(residual, spread);
  return fit;
}

}  // namespace headwater
