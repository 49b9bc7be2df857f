// Effective attention (Brunner et al., 2020). With O = A V, G = VᵀV and V of full column rank,
//
//   A P = O G⁻¹ Vᵀ,        G = RᵀR                                                  (1)
//
// R comes from a QR decomposition of V (or, for prefixes, from one Givens update per token), so G is never
// formed and its squared condition does no harm; one step of refinement, with the residual O − X V, makes
// (1) as good as QR. Where V loses rank or is nearly singular, P = U Uᵀ by the singular value decomposition.
//
// Rank without singular values: with R triangular, σ_min(V) ≥ 1 / |R⁻¹|_F and σ_max(V) ≤ |V|_F. A matrix far
// from the tolerance is certified by these; the others are decomposed. Rows only raise singular values, so a
// bound once found for a prefix holds for all longer ones.
#include "methods/effective_attention/effective.h"

#include <algorithm>
#include <cmath>

#include "kernels/kernels.h"
#include "numerics/dense.h"

namespace headwater {

namespace {

constexpr double worst_kappa = 1e6;  // beyond, (1) is left for the singular value decomposition
constexpr double certain = 4;        // a certificate must beat the tolerance by this factor

Dense triangle_either_way(const Dense& m) {
  return triangle_of(m.rows >= m.cols ? m : m.transposed());
}

Index count_above(const std::vector<double>& s, double tolerance) {
  if (s.empty() || !(s.front() > 0)) return 0;
  return std::count_if(s.begin(), s.end(), [&](double v) { return v > tolerance * s.front(); });
}

// x = (a U) diag(f) Uᵀ.
void project_on(const Dense& u, const std::vector<double>& f, const double* a, double* x, Index count) {
  const Index n = u.rows, r = u.cols;
  Dense inside(count, r);
  kernels::gemm<double>({.m = count, .n = r, .k = n}, a, u.values.data(), inside.values.data());
  for (Index row = 0; row < count; ++row)
    for (Index k = 0; k < r; ++k) inside(row, k) *= f[as_size(k)];
  kernels::gemm<double>({.m = count, .n = n, .k = r, .transpose_b = true}, inside.values.data(),
                        u.values.data(), x);
}

// x = o (RᵀR)⁻¹ Vᵀ with o = a V, for the first `seen` rows of V; then once more for what x V misses of o.
void project_by(const Dense& v, Index seen, const Dense& r, const double* a, double* x, Index count) {
  const Index c = v.cols;
  Dense o(count, c);
  kernels::Gemm mix{.m = count, .n = c, .k = seen};
  kernels::Gemm spread{.m = count, .n = seen, .k = c, .transpose_b = true};
  kernels::gemm<double>(mix, a, v.values.data(), o.values.data());
  Dense w = o;
  solve_normal(r, w);
  kernels::gemm<double>(spread, w.values.data(), v.values.data(), x);
  mix.alpha = -1;
  mix.beta = 1;
  kernels::gemm<double>(mix, x, v.values.data(), o.values.data());
  solve_normal(r, o);
  spread.beta = 1;
  kernels::gemm<double>(spread, o.values.data(), v.values.data(), x);
}

}  // namespace

double RankRule::tolerance(Index rows, Index columns) const {
  return rtol > 0 ? rtol : static_cast<double>(std::max(rows, columns)) * epsilon;
}

double Spectrum::kappa() const {
  return rank > 0 ? values.front() / values[as_size(rank) - 1] : 0;
}

Spectrum spectrum_of(std::span<const double> matrix, Index rows, Index columns, const RankRule& rule) {
  Spectrum spectrum{.values = svd_of(triangle_either_way(Dense(rows, columns, matrix)).transposed()).s};
  spectrum.rank = count_above(spectrum.values, rule.tolerance(rows, columns));
  return spectrum;
}

Index rank_of(std::span<const double> matrix, Index rows, Index columns, const RankRule& rule) {
  const Dense m(rows, columns, matrix), triangle = triangle_either_way(m);
  const double tolerance = rule.tolerance(rows, columns);
  if (least_singular(triangle) > certain * tolerance * m.norm()) return std::min(rows, columns);
  return count_above(svd_of(triangle.transposed()).s, tolerance);
}

std::optional<std::vector<double>> narrow_factor(const double* out, Index model, Index stride, Index width,
                                                 const RankRule& rule) {
  Dense w(std::max(model, width), width);  // rows of zeros change neither rank nor Gram matrix
  for (Index r = 0; r < model; ++r) std::copy_n(out + r * stride, width, w.row(r));
  const Dense triangle = triangle_of(w);
  const double tolerance = rule.tolerance(model, width);
  if (least_singular(triangle) > certain * tolerance * w.norm()) return {};
  if (count_above(svd_of(triangle.transposed()).s, tolerance) == width) return {};
  return triangle.transposed().values;
}

// ---- a whole text

ValueSpace::ValueSpace(std::span<const double> values, Index tokens, Index width, const RankRule& rule)
    : tokens_(tokens) {
  Dense v(tokens, width, values), triangle = triangle_either_way(v);
  const double tolerance = rule.tolerance(tokens, width), least = least_singular(triangle), norm = v.norm();
  const bool full = least > certain * tolerance * norm;
  if (full && tokens <= width) {
    identity_ = true;
  } else if (full && norm <= worst_kappa * least) {
    v_ = std::move(v);
    r_ = std::move(triangle);
  } else {
    const Svd svd = svd_of(v);
    const Index rank = count_above(svd.s, tolerance);
    identity_ = rank == tokens;
    u_ = svd.u.left(rank);
    f_.assign(as_size(rank), 1);
  }
}

ValueSpace ValueSpace::smooth(std::span<const double> values, Index tokens, Index width, double lambda) {
  Svd svd = svd_of(Dense(tokens, width, values));
  for (double& s : svd.s) s = s * s / (s * s + lambda * lambda);
  return {std::move(svd.u), std::move(svd.s)};
}

ValueSpace ValueSpace::of_rank(std::span<const double> values, Index tokens, Index width, Index rank) {
  const Dense u = svd_of(Dense(tokens, width, values)).u;
  const Index kept = std::min(rank, u.cols);
  return {u.left(kept), std::vector<double>(as_size(kept), 1)};
}

void ValueSpace::project(const double* a, double* x, Index count) const {
  if (identity_)
    std::copy_n(a, count * tokens_, x);
  else if (r_.rows > 0)
    project_by(v_, tokens_, r_, a, x, count);
  else
    project_on(u_, f_, a, x, count);
}

// ---- prefixes

GrowingValueSpace::GrowingValueSpace(std::span<const double> values, Index tokens, Index width,
                                     const RankRule& rule)
    : rule_(rule), width_(width), v_(tokens, width, values) {
  if (rank_of(values, tokens, width, rule) < std::min(tokens, width)) {
    const Svd svd = svd_of(v_);
    v_ = svd.u.left(count_above(svd.s, rule.tolerance(tokens, width)));  // V W = U diag(s)
    for (Index t = 0; t < tokens; ++t)
      for (Index k = 0; k < v_.cols; ++k) v_(t, k) *= svd.s[as_size(k)];
  }
  q_ = inverse_ = r_ = Dense(v_.cols, v_.cols);
}

// Gram-Schmidt, twice is enough; L⁻¹ grows by the row −lᵀL⁻¹/d, 1/d.
void GrowingValueSpace::append_independent() {
  const Index n = seen_ - 1, c = v_.cols;
  independent_ = false;
  if (n >= c) return;
  std::vector<double> rest(v_.row(n), v_.row(n) + c), l(as_size(n));
  for (int twice = 0; twice < 2; ++twice)
    for (Index k = 0; k < n; ++k) {
      double along = 0;
      for (Index j = 0; j < c; ++j) along += q_(k, j) * rest[as_size(j)];
      for (Index j = 0; j < c; ++j) rest[as_size(j)] -= along * q_(k, j);
      l[as_size(k)] += along;
    }
  double d = 0;
  for (const double x : rest) d += x * x;
  d = std::sqrt(d);
  if (!(d > 0)) return;
  for (Index j = 0; j < c; ++j) q_(n, j) = rest[as_size(j)] / d;
  inverse_(n, n) = 1 / d;
  for (Index k = 0; k < n; ++k)
    for (Index j = 0; j <= k; ++j) inverse_(n, j) -= l[as_size(k)] * inverse_(k, j) / d;
  for (Index j = 0; j <= n; ++j) inverse2_ += inverse_(n, j) * inverse_(n, j);
  independent_ = 1 / std::sqrt(inverse2_) > certain * rule_.tolerance(seen_, width_) * std::sqrt(norm2_);
}

// Givens rotations fold one more row into R.
void GrowingValueSpace::append_triangle() {
  const Index c = v_.cols;
  std::vector<double> row(v_.row(seen_ - 1), v_.row(seen_ - 1) + c);
  for (Index k = 0; k < c; ++k) {
    const double x = row[as_size(k)];
    if (x == 0) continue;
    const double length = std::hypot(r_(k, k), x), cosine = r_(k, k) / length, sine = x / length;
    for (Index j = k; j < c; ++j) {
      double &above = r_(k, j), &below = row[as_size(j)];
      const double old = above;
      above = cosine * old + sine * below;
      below = cosine * below - sine * old;
    }
  }
}

void GrowingValueSpace::decompose(double tolerance) {
  const Svd svd = svd_of(Dense(seen_, v_.cols, std::span(v_.values).first(as_size(seen_ * v_.cols))));
  const Index rank = count_above(svd.s, tolerance);
  form_ = rank == seen_ ? Form::Identity : Form::Basis;
  u_ = svd.u.left(rank);
}

void GrowingValueSpace::decide() {
  const Index c = v_.cols;
  const double norm = std::sqrt(norm2_), tolerance = rule_.tolerance(seen_, width_);
  if (seen_ <= c && independent_) {
    form_ = Form::Identity;
    if (seen_ == c) least_ = 1 / std::sqrt(inverse2_);
    return;
  }
  const auto is_full = [&] {
    return c > 0 && seen_ >= c && least_ > certain * tolerance * norm && norm <= worst_kappa * least_;
  };
  if (seen_ >= c && !is_full()) least_ = std::max(least_, least_singular(r_));
  if (is_full())
    form_ = seen_ == c ? Form::Identity : Form::Triangle;
  else
    decompose(tolerance);
}

void GrowingValueSpace::grow() {
  const double* row = v_.row(seen_++);
  for (Index k = 0; k < v_.cols; ++k) norm2_ += row[k] * row[k];
  if (independent_) append_independent();
  append_triangle();
  decide();
}

void GrowingValueSpace::project(const double* a, double* x) const {
  if (form_ == Form::Identity)
    std::copy_n(a, seen_, x);
  else if (form_ == Form::Triangle)
    project_by(v_, seen_, r_, a, x, 1);
  else
    project_on(u_, std::vector<double>(as_size(u_.cols), 1), a, x, 1);
}

}  // namespace headwater
