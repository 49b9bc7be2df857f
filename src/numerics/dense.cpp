// Householder QR, one-sided Jacobi (Hestenes, 1958) and Lanczos with full reorthogonalisation; see Golub and
// Van Loan, Matrix Computations, chapters 5, 8 and 10.
#include "numerics/dense.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace headwater {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

// Eight sums side by side: a fixed order that still fills the vector units.
double dot(const double* a, const double* b, Index n) {
  constexpr Index lanes = 8;
  double sums[lanes] = {};
  Index k = 0;
  for (; k + lanes <= n; k += lanes)
    for (Index lane = 0; lane < lanes; ++lane) sums[lane] += a[k + lane] * b[k + lane];
  double sum = 0;
  for (; k < n; ++k) sum += a[k] * b[k];
  for (const double part : sums) sum += part;
  return sum;
}

void add(double factor, const double* x, double* y, Index n) {
  for (Index k = 0; k < n; ++k) y[k] += factor * x[k];
}

// Rotates pairs of rows of `m` until all are orthogonal; `turned` follows with the same rotations.
void orthogonalise_rows(Dense& m, Dense& turned) {
  constexpr int most_sweeps = 60;
  const auto turn = [](double* a, double* b, Index n, double c, double s) {
    for (Index k = 0; k < n; ++k) {
      const double x = a[k], y = b[k];
      a[k] = c * x - s * y;
      b[k] = s * x + c * y;
    }
  };
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    bool rotated = false;
    for (Index p = 0; p < m.rows; ++p)
      for (Index q = p + 1; q < m.rows; ++q) {
        const double pp = dot(m.row(p), m.row(p), m.cols), qq = dot(m.row(q), m.row(q), m.cols);
        const double pq = dot(m.row(p), m.row(q), m.cols);
        if (std::abs(pq) <= epsilon * std::sqrt(pp * qq) || pq == 0) continue;
        rotated = true;
        const double zeta = (qq - pp) / (2 * pq);
        const double t = std::copysign(1.0, zeta) / (std::abs(zeta) + std::hypot(1.0, zeta));
        const double c = 1 / std::hypot(1.0, t), s = c * t;
        turn(m.row(p), m.row(q), m.cols, c, s);
        turn(turned.row(p), turned.row(q), turned.cols, c, s);
      }
    if (!rotated) return;
  }
}

Dense identity(Index n) {
  Dense one(n, n);
  for (Index k = 0; k < n; ++k) one(k, k) = 1;
  return one;
}

// The largest eigenvalue of a symmetric tridiagonal matrix, by bisection on the signs of its leading minors.
double largest_eigenvalue(const std::vector<double>& diagonal, const std::vector<double>& beside) {
  double low = diagonal[0], high = 0;
  for (std::size_t k = 0; k < diagonal.size(); ++k) {
    const double around =
        (k > 0 ? std::abs(beside[k - 1]) : 0) + (k < beside.size() ? std::abs(beside[k]) : 0);
    low = std::max(low, diagonal[k]);
    high = std::max(high, diagonal[k] + around);
  }
  const auto is_above_all = [&](double x) {
    double pivot = 1;
    for (std::size_t k = 0; k < diagonal.size(); ++k) {
      pivot = x - diagonal[k] - (k > 0 ? beside[k - 1] * beside[k - 1] / pivot : 0);
      if (!(pivot > 0)) return false;
    }
    return true;
  };
  while (true) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return high;
    (is_above_all(middle) ? high : low) = middle;
  }
}

}  // namespace

Dense Dense::transposed() const {
  Dense t(cols, rows);
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < cols; ++c) t(c, r) = (*this)(r, c);
  return t;
}

Dense Dense::left(Index columns) const {
  Dense some(rows, columns);
  for (Index r = 0; r < rows; ++r) std::copy_n(row(r), columns, some.row(r));
  return some;
}

double Dense::norm() const {
  return std::sqrt(dot(values.data(), values.data(), rows * cols));
}

Dense triangle_of(const Dense& tall) {
  Dense columns = tall.transposed();  // as rows they lie together
  const Index n = tall.rows, c = tall.cols;
  Dense r(c, c);
  for (Index k = 0; k < c; ++k) {
    double* v = columns.row(k) + k;  // the reflector, from row k down
    const Index length = n - k;
    const double size = std::sqrt(dot(v, v, length)), head = v[0] > 0 ? -size : size;
    r(k, k) = head;
    if (size > 0) {
      v[0] -= head;
      const double square = dot(v, v, length);
      for (Index j = k + 1; j < c; ++j) {
        double* other = columns.row(j) + k;
        add(-2 * dot(v, other, length) / square, v, other, length);
      }
    }
    for (Index j = k + 1; j < c; ++j) r(k, j) = columns(j, k);
  }
  return r;
}

double least_singular(const Dense& triangle) {
  const Index n = triangle.rows;
  double total = 0;
  Dense inverse(n, n);  // of Rᵀ, lower triangular, row by row
  for (Index k = 0; k < n; ++k) {
    if (triangle(k, k) == 0) return 0;
    double* row = inverse.row(k);
    for (Index j = 0; j < k; ++j) add(-triangle(j, k), inverse.row(j), row, j + 1);
    for (Index j = 0; j < k; ++j) row[j] /= triangle(k, k);
    row[k] = 1 / triangle(k, k);
    total += dot(row, row, k + 1);
  }
  return std::isfinite(total) ? 1 / std::sqrt(total) : 0;
}

void solve_normal(const Dense& triangle, Dense& rows) {
  const Index n = triangle.rows;
  const Dense lower = triangle.transposed();
  for (Index r = 0; r < rows.rows; ++r) {
    double* x = rows.row(r);
    for (Index k = 0; k < n; ++k) x[k] = (x[k] - dot(lower.row(k), x, k)) / lower(k, k);  // Rᵀ y = x
    for (Index k = n; k-- > 0;)                                                           // R z = y
      x[k] = (x[k] - dot(triangle.row(k) + k + 1, x + k + 1, n - k - 1)) / triangle(k, k);
  }
}

Svd svd_of(const Dense& a) {
  if (a.rows < a.cols) {
    Svd turned = svd_of(a.transposed());
    std::swap(turned.u, turned.w);
    return turned;
  }
  Dense m = a.transposed();  // its rows are the columns of A
  Dense turned = identity(a.cols);
  orthogonalise_rows(m, turned);
  std::vector<double> sizes;
  for (Index k = 0; k < m.rows; ++k) sizes.push_back(std::sqrt(dot(m.row(k), m.row(k), m.cols)));
  std::vector<Index> order(sizes.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index x, Index y) {
    return sizes[static_cast<std::size_t>(x)] > sizes[static_cast<std::size_t>(y)];
  });
  Svd svd{Dense(a.rows, a.cols), Dense(a.cols, a.cols), {}};
  for (Index k = 0; k < a.cols; ++k) {
    const Index from = order[static_cast<std::size_t>(k)];
    const double size = sizes[static_cast<std::size_t>(from)];
    svd.s.push_back(size);
    for (Index r = 0; r < a.rows; ++r) svd.u(r, k) = size > 0 ? m(from, r) / size : 0;
    for (Index r = 0; r < a.cols; ++r) svd.w(r, k) = turned(from, r);
  }
  return svd;
}

Dense orthonormal_columns(const Dense& columns) {
  Dense rows = columns.transposed();
  Index kept = 0;
  for (Index k = 0; k < rows.rows; ++k) {
    double* v = rows.row(k);
    const double before = std::sqrt(dot(v, v, rows.cols));
    for (int twice = 0; twice < 2; ++twice)
      for (Index j = 0; j < kept; ++j) add(-dot(rows.row(j), v, rows.cols), rows.row(j), v, rows.cols);
    const double size = std::sqrt(dot(v, v, rows.cols));
    if (!(size > 1e-10 * before)) continue;
    double* to = rows.row(kept++);
    for (Index c = 0; c < rows.cols; ++c) to[c] = v[c] / size;
  }
  rows.values.resize(static_cast<std::size_t>(kept * rows.cols));
  rows.rows = kept;
  return rows.transposed();
}

double largest_singular(const Dense& a) {
  const Dense t = a.transposed();
  std::vector<std::vector<double>> basis;
  std::vector<double> v(static_cast<std::size_t>(a.cols)), diagonal, beside;
  for (std::size_t k = 0; k < v.size(); ++k) v[k] = 1 + 0.5 * std::sin(static_cast<double>(k + 1));
  double size = std::sqrt(dot(v.data(), v.data(), a.cols)), found = 0;
  int settled = 0;
  while (static_cast<Index>(basis.size()) < a.cols) {
    for (double& x : v) x /= size;
    basis.push_back(v);
    std::vector<double> through(static_cast<std::size_t>(a.rows));
    for (Index r = 0; r < a.rows; ++r) through[static_cast<std::size_t>(r)] = dot(a.row(r), v.data(), a.cols);
    for (Index c = 0; c < a.cols; ++c) v[static_cast<std::size_t>(c)] = dot(t.row(c), through.data(), a.rows);
    diagonal.push_back(dot(v.data(), basis.back().data(), a.cols));
    for (int twice = 0; twice < 2; ++twice)
      for (const auto& q : basis) add(-dot(q.data(), v.data(), a.cols), q.data(), v.data(), a.cols);
    const double before = std::exchange(found, largest_eigenvalue(diagonal, beside));
    settled = found - before <= 4 * epsilon * found ? settled + 1 : 0;
    size = std::sqrt(dot(v.data(), v.data(), a.cols));
    if (settled == 3 || !(size > epsilon * found)) break;
    beside.push_back(size);
  }
  return std::sqrt(std::max(0.0, found));
}

}  // namespace headwater
