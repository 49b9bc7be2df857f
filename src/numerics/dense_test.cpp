#include "numerics/dense.h"

#include <cmath>

#include <gtest/gtest.h>

#include "support/random.h"

namespace headwater {
namespace {

Dense random_dense(Index rows, Index cols, std::uint32_t seed) {
  return {rows, cols, testing::random_tensor({rows, cols}, seed).to_doubles()};
}

// Largest |AB − C|, A [m, k], B [k, n].
double product_error(const Dense& a, const Dense& b, const Dense& c) {
  double worst = 0;
  for (Index i = 0; i < a.rows; ++i)
    for (Index j = 0; j < b.cols; ++j) {
      double sum = 0;
      for (Index k = 0; k < a.cols; ++k) sum += a(i, k) * b(k, j);
      worst = std::max(worst, std::abs(sum - c(i, j)));
    }
  return worst;
}

Dense identity(Index n) {
  Dense one(n, n);
  for (Index k = 0; k < n; ++k) one(k, k) = 1;
  return one;
}

TEST(Dense, TriangleHasTheGramMatrixOfItsInput) {
  for (const auto& [rows, cols] : {std::pair<Index, Index>{7, 3}, {5, 5}, {40, 17}, {3, 1}}) {
    const Dense a = random_dense(rows, cols, 1), r = triangle_of(a);
    for (Index i = 0; i < cols; ++i)
      for (Index j = 0; j < i; ++j) EXPECT_EQ(r(i, j), 0);
    Dense gram(cols, cols);
    for (Index i = 0; i < cols; ++i)
      for (Index j = 0; j < cols; ++j)
        for (Index k = 0; k < rows; ++k) gram(i, j) += a(k, i) * a(k, j);
    EXPECT_LE(product_error(r.transposed(), r, gram), 1e-12);
  }
}

TEST(Dense, SingularValuesAndVectors) {
  for (const auto& [rows, cols] : {std::pair<Index, Index>{9, 4}, {4, 9}, {6, 6}, {70, 33}}) {
    const Dense a = random_dense(rows, cols, 2);
    const Svd svd = svd_of(a);
    const auto k = static_cast<Index>(svd.s.size());
    ASSERT_EQ(k, std::min(rows, cols));
    for (Index i = 1; i < k; ++i)
      EXPECT_GE(svd.s[static_cast<std::size_t>(i) - 1], svd.s[static_cast<std::size_t>(i)]);
    EXPECT_LE(product_error(svd.u.transposed(), svd.u, identity(k)), 1e-13);
    EXPECT_LE(product_error(svd.w.transposed(), svd.w, identity(k)), 1e-13);
    Dense scaled = svd.u;
    for (Index r = 0; r < rows; ++r)
      for (Index c = 0; c < k; ++c) scaled(r, c) *= svd.s[static_cast<std::size_t>(c)];
    EXPECT_LE(product_error(scaled, svd.w.transposed(), a), 1e-12);
    EXPECT_NEAR(largest_singular(a), svd.s[0], 1e-12 * svd.s[0]);
  }
}

TEST(Dense, TinySingularValuesKeepTheirDigits) {
  // Columns scaled by 10^−k: the singular values of D Q are known to full relative accuracy by construction.
  Dense a(6, 4);
  for (Index k = 0; k < 4; ++k) a(k, k) = std::pow(10.0, -4.0 * static_cast<double>(k));
  const Svd svd = svd_of(a);
  for (Index k = 0; k < 4; ++k)
    EXPECT_NEAR(svd.s[static_cast<std::size_t>(k)] * std::pow(10.0, 4.0 * static_cast<double>(k)), 1, 1e-14);
}

TEST(Dense, LeastSingularIsALowerBoundWithinItsFactor) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const Dense r = triangle_of(random_dense(30, 12, seed));
    const double least = svd_of(r).s.back(), bound = least_singular(r);
    EXPECT_LE(bound, least * (1 + 1e-12));
    EXPECT_GE(bound, least / std::sqrt(12.0));
  }
  Dense singular(2, 2);
  singular(0, 0) = 1;
  EXPECT_EQ(least_singular(singular), 0);
}

TEST(Dense, SolvesNormalEquations) {
  const Dense a = random_dense(9, 4, 5), r = triangle_of(a);
  Dense rows = random_dense(3, 4, 6);
  const Dense given = rows;
  solve_normal(r, rows);
  Dense gram(4, 4);
  for (Index i = 0; i < 4; ++i)
    for (Index j = 0; j < 4; ++j)
      for (Index k = 0; k < 9; ++k) gram(i, j) += a(k, i) * a(k, j);
  EXPECT_LE(product_error(rows, gram, given), 1e-12);
}

TEST(Dense, OrthonormalColumnsLeaveOutWhatAddsNothing) {
  Dense a = random_dense(8, 4, 7);
  for (Index r = 0; r < 8; ++r) a(r, 2) = a(r, 0) - 2 * a(r, 1);
  const Dense q = orthonormal_columns(a);
  ASSERT_EQ(q.cols, 3);
  EXPECT_LE(product_error(q.transposed(), q, identity(3)), 1e-14);
  EXPECT_EQ(orthonormal_columns(Dense(5, 2)).cols, 0);
}

}  // namespace
}  // namespace headwater
