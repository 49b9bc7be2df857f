#include "numerics/linear_map.h"

#include <cmath>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "base/parallel.h"
#include "support/random.h"

namespace headwater {
namespace {

using testing::random_tensor;

// Solves A y = b by elimination with pivots: another way to the same numbers.
std::vector<double> eliminated(std::vector<double> a, std::vector<double> b, std::size_t n, std::size_t m) {
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i)
      if (std::abs(a[i * n + k]) > std::abs(a[pivot * n + k])) pivot = i;
    for (std::size_t c = 0; c < n; ++c) std::swap(a[k * n + c], a[pivot * n + c]);
    for (std::size_t c = 0; c < m; ++c) std::swap(b[k * m + c], b[pivot * m + c]);
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = a[i * n + k] / a[k * n + k];
      for (std::size_t c = 0; c < n; ++c) a[i * n + c] -= factor * a[k * n + c];
      for (std::size_t c = 0; c < m; ++c) b[i * m + c] -= factor * b[k * m + c];
    }
  }
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t c = 0; c < m; ++c) b[k * m + c] /= a[k * n + k];
  return b;
}

const Tensor example_e = Tensor::of({4, 2}, std::vector<double>{1, 0, 0, 1, 1, 1, 2, 1});
const Tensor example_x = Tensor::of({4, 2}, std::vector<double>{2, 1, 1, 3, 3, 4, 5.2, 4.8});

void expect_map(const LinearMap& map, const std::vector<double>& w, const std::vector<double>& b) {
  for (std::size_t i = 0; i < w.size(); ++i) EXPECT_NEAR(map.weight[i], w[i], 5e-7) << i;
  for (std::size_t i = 0; i < b.size(); ++i) EXPECT_NEAR(map.bias[i], b[i], 5e-7) << i;
}

TEST(LinearMap, LeastSquaresAndRidgeOfTheWorkedExample) {
  expect_map(RidgeFit(example_e, 0).fit(example_x), {2.1, .9, 1.066667, 2.933333}, {-.1, .1});
  expect_map(RidgeFit(example_e, .1).fit(example_x), {2, .857143, .941176, 2.588235}, {.094118, .401681});
}

TEST(LinearMap, SolvesTheNormalEquationsWithAFreeBias) {
  constexpr Index N = 2500, D = 70, O = 9;
  const Tensor hidden = random_tensor({N, D}, 1), targets = random_tensor({N, O}, 2);
  constexpr double lambda = 3;
  // ZᵀZ + λD and ZᵀX with Z = [E, 1], plainly.
  constexpr std::size_t n = D + 1, m = O;
  std::vector<double> a(n * n, 0.0), b(n * m, 0.0), z(n, 1.0);
  for (Index i = 0; i < N; ++i) {
    for (Index c = 0; c < D; ++c) z[static_cast<std::size_t>(c)] = hidden.at(i * D + c);
    for (std::size_t r = 0; r < n; ++r) {
      for (std::size_t c = 0; c < n; ++c) a[r * n + c] += z[r] * z[c];
      for (std::size_t c = 0; c < m; ++c) b[r * m + c] += z[r] * targets.at(i * O + static_cast<Index>(c));
    }
  }
  for (std::size_t r = 0; r + 1 < n; ++r) a[r * n + r] += lambda;
  const std::vector<double> expected = eliminated(a, b, n, m);
  const auto map = RidgeFit(hidden, lambda).fit(targets);
  for (std::size_t i = 0; i < map.weight.size(); ++i) EXPECT_NEAR(map.weight[i], expected[i], 1e-12);
  for (std::size_t c = 0; c < m; ++c) EXPECT_NEAR(map.bias[c], expected[(n - 1) * m + c], 1e-12);
  EXPECT_LT(map.residual, 1e-13);
  const Tensor y = map(hidden.rows(5, 1));
  double first = map.bias[0];
  for (Index c = 0; c < D; ++c) first += hidden.at(5 * D + c) * map.weight[static_cast<std::size_t>(c * O)];
  EXPECT_NEAR(y.at(0), first, 1e-12);
}

TEST(LinearMap, IsTheSameForAnyNumberOfThreads) {
  const Tensor hidden = random_tensor({1500, 130}, 1, DType::Float32),
               targets = random_tensor({1500, 130}, 2, DType::Float32);
  const int before = thread_count();
  set_thread_count(1);
  const std::vector<double> one = RidgeFit(hidden, 1).fit(targets).weight;
  set_thread_count(3);
  EXPECT_EQ(one, RidgeFit(hidden, 1).fit(targets).weight);
  set_thread_count(before);
}

TEST(LinearMap, AsksForAPenaltyWhenThereAreTooFewTokens) {
  const Tensor few = random_tensor({5, 20}, 1);
  EXPECT_THROW(RidgeFit(few, 0), InputError);
  EXPECT_LT(RidgeFit(few, 0.1).fit(few).residual, 1e-10);
}

}  // namespace
}  // namespace headwater
