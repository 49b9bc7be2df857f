// Differences through a block: against the plain differences in double, on sizes with leftover lanes and
// rows, and with changes so small that a plain difference in float32 would be noise.
#include "kernels/shifts.h"

#include "support/kernel_checks.h"
#include "support/reference_kernels.h"

namespace headwater::kernels {
namespace {

using namespace testing;

template <class R>
class ShiftsTest : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ShiftsTest, Reals);

struct Size {
  Index rows, parts, n;
};
const Size sizes[] = {{1, 1, 1}, {3, 2, 5}, {4, 3, 16}, {9, 4, 37}, {6, 12, 300}, {2, 0, 7}};

template <class R>
double largest(const std::vector<R>& x) {
  double most = 0;
  for (const R v : x) most = std::max(most, std::abs(static_cast<double>(v)));
  return most;
}

// |found − expected| ≤ tolerance · the largest expected: relative precision however small the change is.
template <class R>
void expect_relative(const std::vector<R>& found, const std::vector<R>& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  const double size = largest(expected);
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_LE(std::abs(static_cast<double>(found[i]) - static_cast<double>(expected[i])), tolerance * size)
        << i;
}

TYPED_TEST(ShiftsTest, RemovedPartsEqualReference) {
  using R = TypeParam;
  on_every_isa([] {
    for (const Size& s : sizes) {
      const auto p = random_numbers<R>(s.rows * s.parts, 1), u = random_numbers<R>(s.parts * s.n, 2);
      std::vector<R> found(static_cast<std::size_t>(s.rows * s.n)), expected(found);
      remove_parts<R>(p.data(), u.data(), found.data(), s.rows, s.parts, s.n);
      reference::remove_parts<R>(p.data(), u.data(), expected.data(), s.rows, s.parts, s.n);
      expect_close(found, expected, 4 * epsilon<R>);
    }
  });
}

// t and 1/σ of rows, as a norm leaves them.
template <class R>
struct Norm {
  std::vector<R> t, inverse, gamma;
  NormRows<R> rows(bool centred) const { return {t.data(), inverse.data(), gamma.data(), 1e-6, centred}; }
};
template <class R>
Norm<R> some_norm(Index rows, Index n, bool centred) {
  Norm<R> norm{random_numbers<R>(rows * n, 3, 2), {}, random_numbers<R>(n, 4)};
  for (Index r = 0; r < rows; ++r) {
    double mean = 0, square = 0;
    R* t = norm.t.data() + r * n;
    for (Index i = 0; centred && i < n; ++i) mean += static_cast<double>(t[i]) / static_cast<double>(n);
    for (Index i = 0; i < n; ++i) {
      t[i] -= static_cast<R>(mean);
      square += static_cast<double>(t[i]) * static_cast<double>(t[i]) / static_cast<double>(n);
    }
    norm.inverse.push_back(static_cast<R>(1 / std::sqrt(square + 1e-6)));
  }
  return norm;
}

TYPED_TEST(ShiftsTest, NormShiftEqualsReference) {
  using R = TypeParam;
  on_every_isa([] {
    for (const bool centred : {true, false})
      for (const Size& s : sizes) {
        if (s.n < 5) continue;
        const Norm<R> norm = some_norm<R>(s.rows, s.n, centred);
        const auto q = random_numbers<R>(s.rows * s.n, 5);
        std::vector<R> found(q.size()), expected(q.size()), inverse(static_cast<std::size_t>(s.rows)),
            expected_inverse(inverse);
        norm_shift<R>(norm.rows(centred), q.data(), found.data(), inverse.data(), s.rows, s.n);
        reference::norm_shift<R>(norm.rows(centred), q.data(), expected.data(), expected_inverse.data(),
                                 s.rows, s.n);
        expect_close(found, expected, 40 * epsilon<R>);
        expect_close(inverse, expected_inverse, 8 * epsilon<R>);
        std::vector<R> over = q, alone(inverse.size());
        norm_shift<R>(norm.rows(centred), over.data(), over.data(), nullptr, s.rows, s.n);
        EXPECT_EQ(over, found) << "in place";
        norm_shift<R>(norm.rows(centred), q.data(), nullptr, alone.data(), s.rows, s.n);
        EXPECT_EQ(alone, inverse) << "the scale alone";
      }
  });
}

// In float32, against the same change computed in double.
TEST(Shifts, KeepTheRelativePrecisionOfASmallChange) {
  const Index rows = 3, n = 40;
  const Norm<float> narrow = some_norm<float>(rows, n, true);
  std::vector<float> q = random_numbers<float>(rows * n, 6, 1e-5);
  Norm<double> wide{{narrow.t.begin(), narrow.t.end()}, {}, {narrow.gamma.begin(), narrow.gamma.end()}};
  for (Index r = 0; r < rows; ++r) {
    double mean = 0, square = 0;
    for (Index i = 0; i < n; ++i) mean += wide.t[static_cast<std::size_t>(r * n + i)] / n;
    for (Index i = 0; i < n; ++i) {
      wide.t[static_cast<std::size_t>(r * n + i)] -= mean;
      square += std::pow(wide.t[static_cast<std::size_t>(r * n + i)], 2) / n;
    }
    wide.inverse.push_back(1 / std::sqrt(square + 1e-6));
  }
  const std::vector<double> wide_q(q.begin(), q.end());
  std::vector<double> expected(q.size()), distance(static_cast<std::size_t>(rows));
  reference::norm_shift<double>(wide.rows(true), wide_q.data(), expected.data(), nullptr, rows, n);
  std::vector<float> found(q.size());
  norm_shift<float>(narrow.rows(true), q.data(), found.data(), nullptr, rows, n);
  expect_relative(found, std::vector<float>(expected.begin(), expected.end()), 2e-6);

  std::vector<float> lengths, close(static_cast<std::size_t>(rows));
  for (Index r = 0; r < rows; ++r) {
    double square = 0;
    for (Index i = 0; i < n; ++i) square += std::pow(wide.t[static_cast<std::size_t>(r * n + i)], 2);
    lengths.push_back(static_cast<float>(std::sqrt(square)));
  }
  cosine_shift<float>(narrow.t.data(), lengths.data(), q.data(), close.data(), rows, n);
  const std::vector<double> x(narrow.t.begin(), narrow.t.end());
  reference::cosine_shift<double>(x.data(), nullptr, wide_q.data(), distance.data(), rows, n);
  for (std::size_t r = 0; r < close.size(); ++r) EXPECT_NEAR(close[r] / distance[r], 1, 2e-6);
}

TYPED_TEST(ShiftsTest, HiddenShiftEqualsReference) {
  using R = TypeParam;
  const Activation all[] = {Activation::Gelu, Activation::GeluTanh, Activation::Relu,
                            Activation::Silu, Activation::Tanh,     Activation::QuickGelu};
  on_every_isa([&] {
    for (const Activation f : all)
      for (const bool gated : {false, true})
        for (const Size& s : sizes) {
          const auto p = random_numbers<R>(s.rows * s.parts, 1), e = random_numbers<R>(s.rows * s.n, 2, 2),
                     k = random_numbers<R>(s.parts * spread_stride<R>(s.n), 3), c = random_numbers<R>(s.n, 4),
                     e2 = random_numbers<R>(s.rows * s.n, 5), k2 = random_numbers<R>(s.parts * s.n, 6),
                     base = random_numbers<R>(s.rows * s.n, 7), scale = random_numbers<R>(s.rows, 8);
          const Index stride = spread_stride<R>(s.n);
          const HiddenRows<R> up{e.data(), k.data(), c.data(), stride},
              gate{e2.data(), k2.data(), c.data(), s.n};
          const HiddenWhere<R> where{p.data(), scale.data(), s.rows, s.parts, s.n, s.n / 3, s.n};
          std::vector<R> found(e.size()), expected(e.size());
          for (const R* old : {base.data(), static_cast<const R*>(nullptr)}) {
            hidden_shift<R>(f, up, gated ? &gate : nullptr, where, old, found.data());
            reference::hidden_shift<R>(f, up, gated ? &gate : nullptr, where, old, expected.data());
            expect_close(found, expected, 60 * epsilon<R>);
          }
        }
  });
}

TEST(Shifts, StridesSpreadOverTheSets) {
  EXPECT_EQ(spread_stride<float>(3072), 3072 + 16);
  EXPECT_EQ(spread_stride<double>(3072), 3072 + 8);
  EXPECT_EQ(spread_stride<float>(5), 16);
  EXPECT_EQ(spread_stride<float>(17), 48);
}

TYPED_TEST(ShiftsTest, CosineShiftEqualsReference) {
  using R = TypeParam;
  on_every_isa([] {
    for (const Size& s : sizes) {
      const auto x = random_numbers<R>(s.rows * s.n, 1), d = random_numbers<R>(s.rows * s.n, 2);
      std::vector<R> lengths, found(static_cast<std::size_t>(s.rows)), expected(found);
      for (Index r = 0; r < s.rows; ++r) {
        double square = 0;
        for (Index i = 0; i < s.n; ++i)
          square += std::pow(static_cast<double>(x[static_cast<std::size_t>(r * s.n + i)]), 2);
        lengths.push_back(static_cast<R>(std::sqrt(square)));
      }
      cosine_shift<R>(x.data(), lengths.data(), d.data(), found.data(), s.rows, s.n);
      reference::cosine_shift<R>(x.data(), lengths.data(), d.data(), expected.data(), s.rows, s.n);
      expect_close(found, expected, 20 * epsilon<R>);
    }
    const std::vector<R> zero(3, R{0}), one{1, 0, 0}, minus{-1, 0, 0}, lengths{0, 1, 1};
    R distance = -1;
    cosine_shift<R>(zero.data(), &lengths[0], zero.data(), &distance, 1, 3);
    EXPECT_EQ(distance, 0) << "nothing stayed nothing";
    cosine_shift<R>(zero.data(), &lengths[0], one.data(), &distance, 1, 3);
    EXPECT_EQ(distance, 1) << "nothing became something";
    cosine_shift<R>(one.data(), &lengths[1], minus.data(), &distance, 1, 3);
    EXPECT_EQ(distance, 1) << "something became nothing";
  });
}

// A run of rows may be cut anywhere.
TYPED_TEST(ShiftsTest, RowsDoNotDependOnTheirNeighbours) {
  using R = TypeParam;
  const Index rows = 11, parts = 3, n = 45;
  const auto p = random_numbers<R>(rows * parts, 1), e = random_numbers<R>(rows * n, 2),
             k = random_numbers<R>(parts * n, 3), c = random_numbers<R>(n, 4), s = random_numbers<R>(rows, 5);
  on_every_isa([&] {
    std::vector<R> whole(e.size()), cut(e.size());
    const HiddenRows<R> all{e.data(), k.data(), c.data(), n};
    hidden_shift<R>(Activation::Gelu, all, nullptr, {p.data(), s.data(), rows, parts, n, 0, n}, nullptr,
                    whole.data());
    for (Index r = 0, step = 1; r < rows; r += step, step = step % 4 + 1) {
      const HiddenRows<R> some{e.data() + r * n, k.data(), c.data(), n};
      hidden_shift<R>(Activation::Gelu, some, nullptr,
                      {p.data() + r * parts, s.data() + r, std::min(step, rows - r), parts, n, 0, n}, nullptr,
                      cut.data() + r * n);
    }
    EXPECT_EQ(whole, cut);
  });
}

}  // namespace
}  // namespace headwater::kernels
