// Softmax and the norms: against the plain loops, known values, and their own laws.
#include <limits>

#include "support/kernel_checks.h"
#include "support/reference_kernels.h"

namespace headwater::kernels {
namespace {

using namespace testing;

template <class R>
class RowsTest : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RowsTest, Reals);

const Index lengths[] = {1, 2, 3, 7, 8, 9, 16, 31, 64, 130, 768};

TYPED_TEST(RowsTest, SoftmaxEqualsReference) {
  on_every_isa([] {
    for (const Index n : lengths)
      for (const double size : {0.1, 5.0, 80.0, 1e4})
        for (const Index period : {Index{0}, n, Index{3}}) {
          const Index rows = 7;
          const auto x = random_numbers<TypeParam>(rows * n, 1, size);
          std::vector<TypeParam> found(x.size()), expected(x.size());
          softmax<TypeParam>(x.data(), found.data(), rows, n, period);
          reference::softmax<TypeParam>(x.data(), expected.data(), rows, n, period);
          expect_close(found, expected, 8 * epsilon<TypeParam>);
        }
  });
}

TYPED_TEST(RowsTest, SoftmaxKnownValues) {
  const std::vector<TypeParam> x{0, static_cast<TypeParam>(std::log(3.0))};
  std::vector<TypeParam> y(2);
  softmax<TypeParam>(x.data(), y.data(), 1, 2, 0);
  expect_close(y, {TypeParam{0.25}, TypeParam{0.75}}, 4 * epsilon<TypeParam>);
}

TYPED_TEST(RowsTest, SoftmaxOfInfinitiesAndCausalTails) {
  constexpr TypeParam inf = std::numeric_limits<TypeParam>::infinity();
  const std::vector<TypeParam> x{-inf, 1, -inf, 1, 1, 2, inf, inf, 5, 5, 5, inf};
  std::vector<TypeParam> y(x.size());
  softmax<TypeParam>(x.data(), y.data(), 1, 4, 0);
  EXPECT_EQ((std::vector<TypeParam>(y.begin(), y.begin() + 4)), (std::vector<TypeParam>{0, 0.5, 0, 0.5}));
  // Keys after the query are not read: infinities there leave exact zeros.
  softmax<TypeParam>(x.data() + 4, y.data() + 4, 2, 4, 4);
  EXPECT_EQ((std::vector<TypeParam>(y.begin() + 4, y.end())),
            (std::vector<TypeParam>{1, 0, 0, 0, 0.5, 0.5, 0, 0}));
}

TYPED_TEST(RowsTest, SoftmaxJacobianEqualsReference) {
  on_every_isa([] {
    for (const Index n : lengths) {
      const auto y = random_numbers<TypeParam>(5 * n, 1), g = random_numbers<TypeParam>(5 * n, 2);
      std::vector<TypeParam> found(y.size()), expected(y.size());
      softmax_jacobian<TypeParam>(y.data(), g.data(), found.data(), 5, n);
      reference::softmax_jacobian<TypeParam>(y.data(), g.data(), expected.data(), 5, n);
      expect_close(found, expected, epsilon<TypeParam> * static_cast<double>(n + 8));
    }
  });
}

template <class R>
void check_norms(Index n, double offset) {
  const Index rows = 5;
  const double eps = 1e-5, tolerance = epsilon<R> * (200 + 30 * std::abs(offset));
  auto x = random_numbers<R>(rows * n, 1);
  for (R& v : x) v += static_cast<R>(offset);
  const auto gamma = random_numbers<R>(n, 2), beta = random_numbers<R>(n, 3);
  std::vector<R> found(x.size()), expected(x.size());
  for (const bool centred : {true, false}) {
    const Norm<R> by{gamma.data(), centred ? beta.data() : nullptr, eps, centred};
    norm<R>(by, x.data(), found.data(), rows, n);
    reference::norm<R>(by, x.data(), expected.data(), rows, n);
    expect_close(found, expected, tolerance);
  }
}

TYPED_TEST(RowsTest, NormsEqualReference) {
  on_every_isa([] {
    for (const Index n : lengths)
      if (n > 2)
        for (const double offset : {0.0, 10.0, -100.0}) check_norms<TypeParam>(n, offset);
  });
}

TYPED_TEST(RowsTest, ConstantRowsNormaliseToBeta) {
  const std::vector<TypeParam> x(9, 3), gamma(9, 2), beta{1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::vector<TypeParam> y(9);
  norm<TypeParam>({gamma.data(), beta.data(), 1e-12, true}, x.data(), y.data(), 1, 9);
  EXPECT_EQ(y, beta);
}

TYPED_TEST(RowsTest, NormPullsAndPushesEqualReference) {
  using R = TypeParam;
  const auto pairs = {std::pair{&norm_pull<R>, &reference::norm_pull<R>},
                      std::pair{&norm_push<R>, &reference::norm_push<R>}};
  on_every_isa([&] {
    for (const Index n : lengths) {
      if (n < 3) continue;
      const auto x = random_numbers<R>(4 * n, 1), gamma = random_numbers<R>(n, 2),
                 s = random_numbers<R>(4 * n, 3);
      for (const double exact : {0.0, 0.5, 1.0})
        for (const bool centred : {true, false})
          for (const auto& [fast, plain] : pairs) {
            const Norm<R> by{gamma.data(), nullptr, 1e-5, centred};
            std::vector<R> found(x.size()), expected(x.size());
            fast(by, x.data(), s.data(), found.data(), 4, n, exact);
            plain(by, x.data(), s.data(), expected.data(), 4, n, exact);
            expect_close(found, expected, 400 * epsilon<R>);
          }
    }
  });
}

// ⟨m, push u⟩ = ⟨pull m, u⟩, and the pull is the derivative found by differences.
TEST(Norms, PullIsTheTransposedDerivative) {
  const Index n = 11;
  const double eps = 1e-3, step = 1e-5;
  auto x = random_numbers<double>(n, 1);
  const auto gamma = random_numbers<double>(n, 2), beta = random_numbers<double>(n, 3);
  const auto m = random_numbers<double>(n, 4);
  std::vector<double> pull(n), up(n), down(n);
  for (const bool centred : {true, false}) {
    const Norm<double> by{gamma.data(), centred ? beta.data() : nullptr, eps, centred};
    norm_pull<double>(by, x.data(), m.data(), pull.data(), 1, n, 1);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double at = x[i];
      x[i] = at + step;
      norm<double>(by, x.data(), up.data(), 1, n);
      x[i] = at - step;
      norm<double>(by, x.data(), down.data(), 1, n);
      x[i] = at;
      double slope = 0;
      for (std::size_t j = 0; j < x.size(); ++j) slope += m[j] * (up[j] - down[j]) / (2 * step);
      EXPECT_NEAR(pull[i], slope, 1e-7);
    }
  }
}

// Rows of odd length start at every alignment; each must still get the bits it gets alone.
TYPED_TEST(RowsTest, ARowDoesNotDependOnItsPlaceOrThreads) {
  using R = TypeParam;
  on_every_isa([] {
    const Index rows = 600, n = 77;
    const auto x = random_numbers<R>(rows * n, 1), gamma = random_numbers<R>(n, 2);
    const auto all = [&](Index first, Index count) {
      std::vector<R> out(static_cast<std::size_t>(5 * count * n));
      const R* from = x.data() + first * n;
      R* to = out.data();
      const Index size = count * n;
      softmax<R>(from, to, count, n, 0);
      softmax_jacobian<R>(to, from, to + size, count, n);
      const Norm<R> layer{gamma.data(), gamma.data(), 1e-5, true}, rms{gamma.data(), nullptr, 1e-5, false};
      norm<R>(layer, from, to + 2 * size, count, n);
      norm_pull<R>(layer, from, from, to + 3 * size, count, n, 1);
      norm_push<R>(rms, from, from, to + 4 * size, count, n, 1);
      return out;
    };
    expect_same_on_any_threads([&] { return all(0, rows); });
    const auto whole = all(0, rows);
    for (const Index row : {0, 1, 2, 3, 5, 599}) {
      const auto alone = all(row, 1);
      for (Index part = 0; part < 5; ++part)
        EXPECT_TRUE(std::equal(alone.begin() + part * n, alone.begin() + (part + 1) * n,
                               whole.begin() + (part * rows + row) * n));
    }
  });
}

TYPED_TEST(RowsTest, NoRowsAndNoColumns) {
  TypeParam guard = 5;
  softmax<TypeParam>(&guard, &guard, 0, 4, 0);
  softmax<TypeParam>(&guard, &guard, 3, 0, 0);
  for (const bool centred : {true, false})
    norm<TypeParam>({&guard, &guard, 1e-5, centred}, &guard, &guard, 0, 4);
  EXPECT_EQ(guard, TypeParam{5});
}

}  // namespace
}  // namespace headwater::kernels
