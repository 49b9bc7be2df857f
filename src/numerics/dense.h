// The little linear algebra that identifiability needs: small dense matrices in double, row-major, on one
// thread. Written for accuracy of small singular values: nothing here forms a Gram matrix of its input.
#pragma once

#include <span>
#include <vector>

#include <headwater/tensor.h>

#include "base/as_size.h"

namespace headwater {

struct Dense {
  Index rows = 0, cols = 0;
  std::vector<double> values;

  Dense() = default;
  Dense(Index r, Index c) : rows(r), cols(c), values(as_size(r * c)) {}
  Dense(Index r, Index c, std::span<const double> v) : rows(r), cols(c), values(v.begin(), v.end()) {}
  double& operator()(Index r, Index c) { return values[as_size(r * cols + c)]; }
  double operator()(Index r, Index c) const { return values[as_size(r * cols + c)]; }
  double* row(Index r) { return values.data() + r * cols; }
  const double* row(Index r) const { return values.data() + r * cols; }
  Dense transposed() const;
  Dense left(Index columns) const;  // the first columns
  double norm() const;              // Frobenius
};

// R [c, c] of a QR decomposition of a tall matrix [r, c], r ≥ c: upper triangular, RᵀR = AᵀA. By Householder
// reflections.
Dense triangle_of(const Dense& tall);
// A lower bound of R's smallest singular value: 1 / |R⁻¹|_F; 0 if R is singular.
double least_singular(const Dense& triangle);
// rows ← rows (RᵀR)⁻¹.
void solve_normal(const Dense& triangle, Dense& rows);

// A = U diag(s) Wᵀ by one-sided Jacobi rotations, s largest first; U [r, k], W [c, k], k = min(r, c). Columns
// that belong to s = 0 are 0 in U (r ≥ c) or W (r < c).
struct Svd {
  Dense u, w;
  std::vector<double> s;
};
Svd svd_of(const Dense& a);

// Columns made orthonormal one after the other; those that add nothing are left out.
Dense orthonormal_columns(const Dense& columns);

// σ_max by Lanczos iteration on AᵀA.
double largest_singular(const Dense& a);

}  // namespace headwater
