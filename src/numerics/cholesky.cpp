// Right-looking, in blocks of columns: with A = [A11 ·; A21 A22],
//
//   A11 = L11 L11ᵀ,  L21 = A21 L11⁻ᵀ,  A22 ← A22 − L21 L21ᵀ
//
// and on with A22 (Golub and Van Loan, 2013, 4.2.9).
#include "numerics/cholesky.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "kernels/kernels.h"

namespace headwater {
namespace {

constexpr Index block = 64;

bool factorise_diagonal(double* a, Index n, Index width) {
  for (Index j = 0; j < width; ++j) {
    double pivot = a[j * n + j];
    for (Index k = 0; k < j; ++k) pivot -= a[j * n + k] * a[j * n + k];
    if (!(pivot > 0) || !std::isfinite(pivot)) return false;
    a[j * n + j] = std::sqrt(pivot);
    for (Index i = j + 1; i < width; ++i) {
      double sum = a[i * n + j];
      for (Index k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      a[i * n + j] = sum / a[j * n + j];
    }
  }
  return true;
}

// Rows of L21 from A21, given L11 above them.
void solve_panel(const double* diagonal, double* below, Index n, Index width, Index rows) {
  parallel_for(rows, 16, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      for (Index j = 0; j < width; ++j) {
        double sum = below[i * n + j];
        for (Index k = 0; k < j; ++k) sum -= below[i * n + k] * diagonal[j * n + k];
        below[i * n + j] = sum / diagonal[j * n + j];
      }
  });
}

}  // namespace

bool factorise(std::vector<double>& a, Index n) {
  for (Index at = 0; at < n; at += block) {
    const Index width = std::min(block, n - at), next = at + width, rest = n - next;
    double* diagonal = a.data() + at * n + at;
    if (!factorise_diagonal(diagonal, n, width)) return false;
    solve_panel(diagonal, diagonal + width * n, n, width, rest);
    for (Index column = next; column < n; column += block) {
      const Index columns = std::min(block, n - column);
      kernels::gemm<double>({.m = n - column,
                             .n = columns,
                             .k = width,
                             .transpose_b = true,
                             .lda = n,
                             .ldb = n,
                             .ldc = n,
                             .alpha = -1,
                             .beta = 1},
                            a.data() + column * n + at, a.data() + column * n + at,
                            a.data() + column * n + column);
    }
  }
  return true;
}

void solve_factorised(const std::vector<double>& l, Index n, std::vector<double>& b, Index m) {
  parallel_for(m, 16, [&](Index begin, Index end) {
    const auto subtract = [&](double factor, Index from, Index to) {
      for (Index c = begin; c < end; ++c)
        b[static_cast<std::size_t>(to * m + c)] -= factor * b[static_cast<std::size_t>(from * m + c)];
    };
    const auto divide = [&](Index row) {
      const double pivot = l[static_cast<std::size_t>(row * n + row)];
      for (Index c = begin; c < end; ++c) b[static_cast<std::size_t>(row * m + c)] /= pivot;
    };
    for (Index i = 0; i < n; ++i) {
      for (Index k = 0; k < i; ++k) subtract(l[static_cast<std::size_t>(i * n + k)], k, i);
      divide(i);
    }
    for (Index i = n - 1; i >= 0; --i) {
      for (Index k = i + 1; k < n; ++k) subtract(l[static_cast<std::size_t>(k * n + i)], k, i);
      divide(i);
    }
  });
}

}  // namespace headwater
