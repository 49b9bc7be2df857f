// Elementwise kernels and the rotary turn: against the plain loops and by hand.
#include "support/kernel_checks.h"
#include "support/reference_kernels.h"

namespace headwater::kernels {
namespace {

using namespace testing;

template <class R>
class ElementwiseTest : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ElementwiseTest, Reals);

TYPED_TEST(ElementwiseTest, ByHand) {
  using R = TypeParam;
  const std::vector<R> a{1, -2, 3}, b{4, 5, -6};
  std::vector<R> y(3);
  add<R>(a.data(), b.data(), y.data(), 3);
  EXPECT_EQ(y, (std::vector<R>{5, 3, -3}));
  accumulate<R>(a.data(), y.data(), 3);
  EXPECT_EQ(y, (std::vector<R>{6, 1, 0}));
  multiply<R>(a.data(), b.data(), y.data(), 3);
  EXPECT_EQ(y, (std::vector<R>{4, -10, -18}));
  scale<R>(a.data(), -0.5, y.data(), 3);
  EXPECT_EQ(y, (std::vector<R>{-0.5, 1, -1.5}));
  std::vector<R> rows{1, 2, 3, 4, 5, 6};
  add_bias<R>(rows.data(), a.data(), 2, 3);
  EXPECT_EQ(rows, (std::vector<R>{2, 0, 6, 5, 3, 9}));
}

TYPED_TEST(ElementwiseTest, EqualReference) {
  using R = TypeParam;
  on_every_isa([] {
    for (const Index n : {0, 1, 5, 8, 17, 33, 100003}) {
      const auto a = random_numbers<R>(n, 1), b = random_numbers<R>(n, 2);
      auto found = a, expected = a;
      add<R>(a.data(), b.data(), found.data(), n);
      reference::add<R>(a.data(), b.data(), expected.data(), n);
      EXPECT_EQ(found, expected);
      accumulate<R>(b.data(), found.data(), n);
      reference::accumulate<R>(b.data(), expected.data(), n);
      EXPECT_EQ(found, expected);
      multiply<R>(a.data(), b.data(), found.data(), n);
      reference::multiply<R>(a.data(), b.data(), expected.data(), n);
      EXPECT_EQ(found, expected);
      scale<R>(a.data(), 0.3, found.data(), n);
      reference::scale<R>(a.data(), 0.3, expected.data(), n);
      EXPECT_EQ(found, expected);
    }
    for (const Index n : {1, 7, 64, 1000}) {
      auto found = random_numbers<R>(70 * n, 1), expected = found;
      const auto bias = random_numbers<R>(n, 2);
      add_bias<R>(found.data(), bias.data(), 70, n);
      reference::add_bias<R>(expected.data(), bias.data(), 70, n);
      EXPECT_EQ(found, expected);
    }
  });
}

TYPED_TEST(ElementwiseTest, RotateEqualsReferenceAndTurnsBack) {
  using R = TypeParam;
  on_every_isa([] {
    for (const Index e : {2, 6, 64, 80}) {
      const Index tokens = 5, rows = 3 * tokens, heads = 3;
      const auto x = random_numbers<R>(rows * heads * e, 1), angle = random_numbers<R>(tokens * e / 2, 2, 3);
      std::vector<R> cos(angle), sin(angle), found(x.size()), expected(x.size());
      for (R& v : cos) v = std::cos(v);
      for (R& v : sin) v = std::sin(v);
      for (const int direction : {1, -1}) {
        rotate<R>(x.data(), cos.data(), sin.data(), found.data(), rows, tokens, heads, e, direction);
        reference::rotate<R>(x.data(), cos.data(), sin.data(), expected.data(), rows, tokens, heads, e,
                             direction);
        expect_close(found, expected, 2 * epsilon<R>);
      }
      rotate<R>(found.data(), cos.data(), sin.data(), found.data(), rows, tokens, heads, e, 1);  // in place
      expect_close(found, x, 4 * epsilon<R>);
    }
  });
}

TYPED_TEST(ElementwiseTest, AQuarterTurn) {
  using R = TypeParam;
  const std::vector<R> x{1, 2, 3, 4}, cos{0, 0}, sin{1, 1};
  std::vector<R> y(4);
  rotate<R>(x.data(), cos.data(), sin.data(), y.data(), 1, 1, 1, 4, 1);  // (1, 3) → (−3, 1)
  EXPECT_EQ(y, (std::vector<R>{-3, -4, 1, 2}));
}

}  // namespace
}  // namespace headwater::kernels
