// gemm and gemm_batch against the plain triple loop, over shapes that leave remainders everywhere.
#include <limits>

#include "kernels/product.h"
#include "support/kernel_checks.h"
#include "support/reference_kernels.h"

namespace headwater::kernels {
namespace {

using namespace testing;

template <class R>
class GemmTest : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GemmTest, Reals);

template <class R>
double tolerance(Index k) {
  return epsilon<R> * static_cast<double>(k + 4);
}

// Row strides are larger than the rows need, to catch an index that forgets them.
Gemm make(Index m, Index n, Index k, bool ta, bool tb, double alpha, double beta) {
  return {m, n, k, ta, tb, (ta ? m : k) + 3, (tb ? k : n) + 1, n + 2, alpha, beta};
}

template <class R>
void check(const Gemm& g) {
  SCOPED_TRACE(::testing::Message() << g.m << "x" << g.n << "x" << g.k << " " << g.transpose_a
                                    << g.transpose_b << " " << g.alpha << " " << g.beta);
  const auto a = random_numbers<R>((g.transpose_a ? g.k : g.m) * g.lda, 1);
  const auto b = random_numbers<R>((g.transpose_b ? g.n : g.k) * g.ldb, 2);
  auto found = random_numbers<R>(g.m * g.ldc, 3);
  auto expected = found;
  gemm<R>(g, a.data(), b.data(), found.data());
  reference::gemm<R>(g, a.data(), b.data(), expected.data());
  expect_close(found, expected, tolerance<R>(g.k));
}

TYPED_TEST(GemmTest, EqualsTheTripleLoop) {
  on_every_isa([] {
    for (const Index m : {1, 2, 5, 6, 7, 13, 200})
      for (const Index n : {1, 3, 8, 16, 17, 33})
        for (const Index k : {1, 2, 31, 64, 400})
          for (const int t : {0, 1, 2, 3}) check<TypeParam>(make(m, n, k, t % 2 == 1, t / 2 == 1, 1, 0));
    for (const double beta : {0.0, 1.0, -0.5}) check<TypeParam>(make(9, 40, 20, false, true, 0.125, beta));
  });
}

TYPED_TEST(GemmTest, SpansManyBlocksOfEveryLength) {
  on_every_isa([] { check<TypeParam>(make(251, 203, 801, false, true, 1, 0)); });
}

TYPED_TEST(GemmTest, EmptyProducts) {
  std::vector<TypeParam> c{7, 7, 7, 7};
  gemm<TypeParam>({.m = 0, .n = 2, .k = 2, .lda = 2, .ldb = 2, .ldc = 2}, c.data(), c.data(), c.data());
  EXPECT_EQ(c, (std::vector<TypeParam>{7, 7, 7, 7}));
  // An empty sum is 0, so C = beta C.
  gemm<TypeParam>({.m = 2, .n = 2, .k = 0, .lda = 1, .ldb = 2, .ldc = 2, .beta = 2}, c.data(), c.data(),
                  c.data());
  EXPECT_EQ(c, (std::vector<TypeParam>{14, 14, 14, 14}));
  gemm_batch<TypeParam>({.m = 2, .n = 2, .k = 2, .lda = 2, .ldb = 2, .ldc = 2}, {});
}

TYPED_TEST(GemmTest, WithoutBetaTheOldValueIsNotRead) {
  const std::vector<TypeParam> a{2}, b{3};
  std::vector<TypeParam> c{std::numeric_limits<TypeParam>::quiet_NaN()};
  gemm<TypeParam>({.m = 1, .n = 1, .k = 1, .lda = 1, .ldb = 1, .ldc = 1}, a.data(), b.data(), c.data());
  EXPECT_EQ(c[0], TypeParam{6});
}

TYPED_TEST(GemmTest, NonFiniteFactorsStayInTheirRow) {
  const Index m = 8, n = 20, k = 9;
  auto a = random_numbers<TypeParam>(m * k, 1);
  const auto b = random_numbers<TypeParam>(k * n, 2);
  a[2 * k + 3] = std::numeric_limits<TypeParam>::infinity();
  std::vector<TypeParam> c(m * n);
  gemm<TypeParam>({.m = m, .n = n, .k = k, .lda = k, .ldb = n, .ldc = n}, a.data(), b.data(), c.data());
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j) EXPECT_EQ(std::isfinite(c[static_cast<std::size_t>(i * n + j)]), i != 2);
}

TYPED_TEST(GemmTest, BatchEqualsSingleProductsOnAnyThreads) {
  const Index m = 37, n = 29, k = 64, count = 12;
  const Gemm g{.m = m, .n = n, .k = k, .transpose_b = true, .lda = k, .ldb = k, .ldc = n, .alpha = 0.125};
  const auto a = random_numbers<TypeParam>(count * m * k, 1), b = random_numbers<TypeParam>(count * n * k, 2);
  std::vector<TypeParam> single(count * m * n);
  for (Index i = 0; i < count; ++i)
    gemm<TypeParam>(g, a.data() + i * m * k, b.data() + i * n * k, single.data() + i * m * n);
  expect_same_on_any_threads([&] {
    std::vector<TypeParam> c(count * m * n);
    std::vector<GemmTask<TypeParam>> tasks;
    for (Index i = 0; i < count; ++i)
      tasks.push_back({a.data() + i * m * k, b.data() + i * n * k, c.data() + i * m * n});
    gemm_batch<TypeParam>(g, tasks);
    EXPECT_EQ(c, single);
    return c;
  });
}

TYPED_TEST(GemmTest, ARowDoesNotDependOnItsNeighbours) {
  on_every_isa([] {
    const Index most = 230, n = 50, k = 500;
    const auto a = random_numbers<TypeParam>(most * k, 1), b = random_numbers<TypeParam>(k * n, 2);
    const auto product_of = [&](Index first, Index m) {
      std::vector<TypeParam> c(static_cast<std::size_t>(m * n));
      gemm<TypeParam>({.m = m, .n = n, .k = k, .lda = k, .ldb = n, .ldc = n}, a.data() + first * k, b.data(),
                      c.data());
      return c;
    };
    const auto whole = product_of(0, most);
    for (const Index m : {1, 5, 7, 64, 128, 193})
      for (const Index first : {0, 1, 37}) {
        const auto part = product_of(first, m);
        EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + first * n)) << first << " " << m;
      }
  });
}

// The 64-byte tiles run on few machines; lowered to narrower registers they compute the same thing here.
TYPED_TEST(GemmTest, WideTilesAreRightOnNarrowRegisters) {
  using R = TypeParam;
  constexpr Index width = tile_cols<R, Avx512>;
  const Index m = 31, k = 400, panels = 3;
  const auto a = random_numbers<R>(m * k, 1), b = random_numbers<R>(panels * k * width, 2);
  std::vector<R> found(static_cast<std::size_t>(m * panels * width)), expected = found;
  const Tile<R> tile = [](const Strided<R>& at, const R* panel, Index steps, bool fresh, R* sums,
                          Index rows) {
    detail::tile_of_height<R, Avx512, Avx512::tile_rows>(at, panel, steps, fresh, sums, rows);
  };
  product<R, Avx512>(
      tile, 0, m, 0, panels, k,
      [&](Index row, Index k0) {
        return Strided<R>{a.data() + row * k + k0, k, 1, k, 0};
      },
      [&](Index panel, Index k0, Index) { return b.data() + (panel * k + k0) * width; },
      [](const Progress&) {},
      [&](Index row, Index count, Index panel, const R* sums) {
        for (Index i = 0; i < count; ++i)
          std::copy_n(sums + i * width, width, found.begin() + ((row + i) * panels + panel) * width);
      });
  for (Index p = 0; p < panels; ++p)
    reference::gemm<R>({.m = m, .n = width, .k = k, .lda = k, .ldb = width, .ldc = panels * width}, a.data(),
                       b.data() + p * k * width, expected.data() + p * width);
  expect_close(found, expected, tolerance<R>(k));
}

}  // namespace
}  // namespace headwater::kernels
