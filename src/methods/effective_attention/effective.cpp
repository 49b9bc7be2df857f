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
  kernels::gemm<double>({.m = count, .n = r, .k = n, .lda = n, .ldb = r, .ldc = r}, a, u.values.data(),
                        inside.values.data());
  for (Index row = 0; row < count; ++row)
    for (Index k = 0; k < r; ++k) inside(row, k) *= f[static_cast<std::size_t>(k)];
  kernels::gemm<double>({.m = count, .n = n, .k = r, .transpose_b = true, .lda = r, .ldb = r, .ldc = n},
                        inside.values.data(), u.values.data(), x);
}

// x = o (RᵀR)⁻¹ Vᵀ with o = a V, for the first `seen` rows of V; then once more for what x V misses of o.
void project_by(const Dense& v, Index seen, const Dense& r, const double* a, double* x, Index count) {
  const Index c = v.cols;
  Dense o(count, c);
  kernels::Gemm mix{.m = count, .n = c, .k = seen, .lda = seen, .ldb = c, .ldc = c};
  kernels::Gemm spread{.m = count, .n = seen, .k = c, .transpose_b = true, .lda = c, .ldb = c, .ldc = seen};
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
  return rank > 0 ? values.front() / values[static_cast<std::size_t>(rank) - 1] : 0;
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

struct ValueSpace::Parts {
  Index tokens = 0;
  bool identity = false;
  Dense v, r;  // by (1), if r is not empty
  Dense u;     // else U diag(f) Uᵀ
  std::vector<double> f;
};

ValueSpace::ValueSpace() : parts_(std::make_unique<Parts>()) {}
ValueSpace::ValueSpace(ValueSpace&&) noexcept = default;
ValueSpace& ValueSpace::operator=(ValueSpace&&) noexcept = default;
ValueSpace::~ValueSpace() = default;

ValueSpace::ValueSpace(std::span<const double> values, Index tokens, Index width, const RankRule& rule)
    : ValueSpace() {
  Dense v(tokens, width, values), triangle = triangle_either_way(v);
  parts_->tokens = tokens;
  const double tolerance = rule.tolerance(tokens, width), least = least_singular(triangle), norm = v.norm();
  const bool full = least > certain * tolerance * norm;
  if (full && tokens <= width) {
    parts_->identity = true;
  } else if (full && norm <= worst_kappa * least) {
    parts_->v = std::move(v);
    parts_->r = std::move(triangle);
  } else {
    const Svd svd = svd_of(v);
    const Index rank = count_above(svd.s, tolerance);
    parts_->identity = rank == tokens;
    parts_->u = svd.u.left(rank);
    parts_->f.assign(static_cast<std::size_t>(rank), 1);
  }
}

ValueSpace ValueSpace::smooth(std::span<const double> values, Index tokens, Index width, double lambda) {
  Svd svd = svd_of(Dense(tokens, width, values));
  ValueSpace space;
  space.parts_->tokens = tokens;
  for (const double s : svd.s) space.parts_->f.push_back(s * s / (s * s + lambda * lambda));
  space.parts_->u = std::move(svd.u);
  return space;
}

ValueSpace ValueSpace::of_rank(std::span<const double> values, Index tokens, Index width, Index rank) {
  const Svd svd = svd_of(Dense(tokens, width, values));
  ValueSpace space;
  space.parts_->tokens = tokens;
  space.parts_->u = svd.u.left(std::min(rank, svd.u.cols));
  space.parts_->f.assign(static_cast<std::size_t>(space.parts_->u.cols), 1);
  return space;
}

bool ValueSpace::identity() const {
  return parts_->identity;
}

void ValueSpace::project(const double* a, double* x, Index count) const {
  const Parts& p = *parts_;
  if (p.identity)
    std::copy_n(a, count * p.tokens, x);
  else if (p.r.rows > 0)
    project_by(p.v, p.tokens, p.r, a, x, count);
  else
    project_on(p.u, p.f, a, x, count);
}

// ---- prefixes

struct GrowingValueSpace::Parts {
  RankRule rule;
  Index width = 0;   // of the values as given, for the tolerance
  Dense v;           // [T, c]: all tokens, in a basis of their span
  Index seen = 0;    // tokens of the prefix
  double norm2 = 0;  // |V_t|²_F

  // The rows so far as L Q, while they are independent: Q [seen, c] orthonormal, and L⁻¹.
  bool independent = true;
  Dense q, inverse;
  double inverse2 = 0;  // |L⁻¹|²_F

  Dense r;           // RᵀR = V_tᵀ V_t
  double least = 0;  // lower bound of the smallest of c singular values of V_t

  enum class Form { Identity, Triangle, Basis } form = Form::Identity;
  Dense u;  // Basis

  void append_independent();
  void append_triangle();
  void decide();
  void decompose(double tolerance);
};

GrowingValueSpace::~GrowingValueSpace() = default;

GrowingValueSpace::GrowingValueSpace(std::span<const double> values, Index tokens, Index width,
                                     const RankRule& rule)
    : parts_(std::make_unique<Parts>()) {
  Parts& p = *parts_;
  p.rule = rule;
  p.width = width;
  p.v = Dense(tokens, width, values);
  if (rank_of(values, tokens, width, rule) < std::min(tokens, width)) {
    const Svd svd = svd_of(p.v);
    p.v = svd.u.left(count_above(svd.s, rule.tolerance(tokens, width)));  // V W = U diag(s)
    for (Index t = 0; t < tokens; ++t)
      for (Index k = 0; k < p.v.cols; ++k) p.v(t, k) *= svd.s[static_cast<std::size_t>(k)];
  }
  const Index c = p.v.cols;
  p.q = p.inverse = p.r = Dense(c, c);
}

// Gram-Schmidt, twice is enough; L⁻¹ grows by the row −lᵀL⁻¹/d, 1/d.
void GrowingValueSpace::Parts::append_independent() {
  const Index n = seen - 1, c = v.cols;
  independent = false;
  if (n >= c) return;
  std::vector<double> rest(v.row(n), v.row(n) + c), l(static_cast<std::size_t>(n));
  for (int twice = 0; twice < 2; ++twice)
    for (Index k = 0; k < n; ++k) {
      double along = 0;
      for (Index j = 0; j < c; ++j) along += q(k, j) * rest[static_cast<std::size_t>(j)];
      for (Index j = 0; j < c; ++j) rest[static_cast<std::size_t>(j)] -= along * q(k, j);
      l[static_cast<std::size_t>(k)] += along;
    }
  double d = 0;
  for (const double x : rest) d += x * x;
  d = std::sqrt(d);
  if (!(d > 0)) return;
  for (Index j = 0; j < c; ++j) q(n, j) = rest[static_cast<std::size_t>(j)] / d;
  inverse(n, n) = 1 / d;
  for (Index k = 0; k < n; ++k)
    for (Index j = 0; j <= k; ++j) inverse(n, j) -= l[static_cast<std::size_t>(k)] * inverse(k, j) / d;
  for (Index j = 0; j <= n; ++j) inverse2 += inverse(n, j) * inverse(n, j);
  independent = 1 / std::sqrt(inverse2) > certain * rule.tolerance(seen, width) * std::sqrt(norm2);
}

// Givens rotations fold one more row into R.
void GrowingValueSpace::Parts::append_triangle() {
  const Index c = v.cols;
  std::vector<double> row(v.row(seen - 1), v.row(seen - 1) + c);
  for (Index k = 0; k < c; ++k) {
    const double x = row[static_cast<std::size_t>(k)];
    if (x == 0) continue;
    const double length = std::hypot(r(k, k), x), cosine = r(k, k) / length, sine = x / length;
    for (Index j = k; j < c; ++j) {
      double &above = r(k, j), &below = row[static_cast<std::size_t>(j)];
      const double old = above;
      above = cosine * old + sine * below;
      below = cosine * below - sine * old;
    }
  }
}

void GrowingValueSpace::Parts::decompose(double tolerance) {
  const Svd svd =
      svd_of(Dense(seen, v.cols, std::span(v.values).first(static_cast<std::size_t>(seen * v.cols))));
  const Index rank = count_above(svd.s, tolerance);
  form = rank == seen ? Form::Identity : Form::Basis;
  u = svd.u.left(rank);
}

void GrowingValueSpace::Parts::decide() {
  const Index c = v.cols;
  const double norm = std::sqrt(norm2), tolerance = rule.tolerance(seen, width);
  if (seen <= c && independent) {
    form = Form::Identity;
    if (seen == c) least = 1 / std::sqrt(inverse2);
    return;
  }
  const auto is_full = [&] {
    return c > 0 && seen >= c && least > certain * tolerance * norm && norm <= worst_kappa * least;
  };
  if (seen >= c && !is_full()) least = std::max(least, least_singular(r));
  if (is_full())
    form = seen == c ? Form::Identity : Form::Triangle;
  else
    decompose(tolerance);
}

void GrowingValueSpace::grow() {
  Parts& p = *parts_;
  const double* row = p.v.row(p.seen++);
  for (Index k = 0; k < p.v.cols; ++k) p.norm2 += row[k] * row[k];
  if (p.independent) p.append_independent();
  p.append_triangle();
  p.decide();
}

bool GrowingValueSpace::identity() const {
  return parts_->form == Parts::Form::Identity;
}

void GrowingValueSpace::project(const double* a, double* x) const {
  const Parts& p = *parts_;
  if (p.form == Parts::Form::Identity)
    std::copy_n(a, p.seen, x);
  else if (p.form == Parts::Form::Triangle)
    project_by(p.v, p.seen, p.r, a, x, 1);
  else
    project_on(p.u, std::vector<double>(static_cast<std::size_t>(p.u.cols), 1), a, x, 1);
}

}  // namespace headwater
