// Activations and their slopes: a table computed with 40 digits, the plain loops, and extreme arguments.
#include <limits>

#include "support/kernel_checks.h"
#include "support/reference_kernels.h"

namespace headwater::kernels {
namespace {

using namespace testing;

const Activation all[] = {Activation::Gelu, Activation::GeluTanh, Activation::Relu,
                          Activation::Silu, Activation::Tanh,     Activation::QuickGelu};

struct Known {
  Activation f;
  double x, value, slope;
};
const Known table[] = {
    {Activation::Gelu, -5.5, -1.04442593562382457e-7, -5.7334723987399248e-7},
    {Activation::Gelu, -1.25, -0.132062217083569072, -0.122661583069422124},
    {Activation::Gelu, -0.0009765625, -0.000487900789053925253, 0.499220816106286866},
    {Activation::Gelu, 0.3125, 0.19458428702192409, 0.74139803290722826},
    {Activation::Gelu, 0.625, 0.458759044344562167, 0.939115076295283864},
    {Activation::Gelu, 1.5, 1.3997891980967129, 1.12746919222997953},
    {Activation::Gelu, 4, 3.99987331503266752, 1.00050364966122642},
    {Activation::GeluTanh, -5.5, -5.92764026388026203e-9, -4.67655281080741526e-8},
    {Activation::GeluTanh, -1.25, -0.132285797030285398, -0.122492632249648633},
    {Activation::GeluTanh, -0.0009765625, -0.000487900789054224565, 0.499220816107512848},
    {Activation::GeluTanh, 0.3125, 0.194581355805892608, 0.741361807936673747},
    {Activation::GeluTanh, 0.625, 0.45872114995760052, 0.938908037386705231},
    {Activation::GeluTanh, 1.5, 1.39957157698023292, 1.12771079315143308},
    {Activation::GeluTanh, 4, 3.99992975405180763, 1.00033512319712267},
    {Activation::Silu, -5.5, -0.0223857574374287003, -0.0182245066058875922},
    {Activation::Silu, -1.25, -0.278375173531636066, 0.00631915508468758124},
    {Activation::Silu, -0.0009765625, -0.000488042831439846242, 0.499511718827610203},
    {Activation::Silu, 0.3125, 0.180467301620566172, 0.653743636552911025},
    {Activation::Silu, 0.625, 0.407096790416283902, 0.793287180254754497},
    {Activation::Silu, 1.5, 1.22636171429046549, 1.04129415429914294},
    {Activation::Silu, 4, 3.92805516015163377, 1.05266461489107291},
    {Activation::Tanh, -5.5, -0.99996659715630381, 0.0000668045716424137309},
    {Activation::Tanh, -1.25, -0.848283639957512898, 0.280414866180432628},
    {Activation::Tanh, -0.0009765625, -0.000976562189559260219, 0.999999046326289923},
    {Activation::Tanh, 0.3125, 0.302709729332108487, 0.908366819767681619},
    {Activation::Tanh, 0.625, 0.554599722349382294, 0.69241914796998807},
    {Activation::Tanh, 1.5, 0.905148253644866438, 0.180706638923648531},
    {Activation::Tanh, 4, 0.999329299739067044, 0.00134095068302589688},
    {Activation::QuickGelu, -5.5, -0.000473036541308530241, -0.000719032304779178216},
    {Activation::QuickGelu, -1.25, -0.133065698556830676, -0.0959161167499618339},
    {Activation::QuickGelu, -0.0009765625, -0.000487875461671788629, 0.499168945695146171},
    {Activation::QuickGelu, 0.3125, 0.196850099898631348, 0.75391139759162801},
    {Activation::QuickGelu, 0.625, 0.464629076707596593, 0.946320308047675052},
    {Activation::QuickGelu, 1.5, 1.39166219844707657, 1.09884806462410293},
    {Activation::QuickGelu, 4, 3.99558527586041894, 1.00640188654535493},
    {Activation::Relu, -2, 0, 0},
    {Activation::Relu, 2.5, 2.5, 1},
};

template <class R>
class ActivationsTest : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ActivationsTest, Reals);

TYPED_TEST(ActivationsTest, KnownValues) {
  using R = TypeParam;
  on_every_isa([] {
    for (const Known& known : table) {
      SCOPED_TRACE(::testing::Message() << headwater::name_of(known.f) << " at " << known.x);
      const R x = static_cast<R>(known.x);
      const double tolerance = 3 * epsilon<R>;
      R y = 0;
      activate<R>(known.f, &x, &y, 1);
      EXPECT_NEAR(static_cast<double>(y), known.value, tolerance * (1 + std::abs(known.value)));
      reference::activate<R>(known.f, &x, &y, 1);
      EXPECT_NEAR(static_cast<double>(y), known.value, tolerance * (1 + std::abs(known.value)));
      activation_slope<R>(known.f, Slope::Tangent, &x, &y, 1);
      EXPECT_NEAR(static_cast<double>(y), known.slope, 2 * tolerance);
      reference::activation_slope<R>(known.f, Slope::Tangent, &x, &y, 1);
      EXPECT_NEAR(static_cast<double>(y), known.slope, 2 * tolerance);
      activation_slope<R>(known.f, Slope::Secant, &x, &y, 1);
      EXPECT_NEAR(static_cast<double>(y), known.value / known.x, tolerance);
    }
  });
}

// A dense sweep, every count of leftover lanes, against the plain loops.
TYPED_TEST(ActivationsTest, EqualReference) {
  using R = TypeParam;
  on_every_isa([] {
    for (const Activation f : all)
      for (const double size : {1e-3, 1.0, 12.0, 200.0}) {
        const auto x = random_numbers<R>(10007, 1, size);
        std::vector<R> found(x.size()), expected(x.size());
        const Index n = static_cast<Index>(x.size());
        activate<R>(f, x.data(), found.data(), n);
        reference::activate<R>(f, x.data(), expected.data(), n);
        expect_close(found, expected, 3 * epsilon<R>);
        for (const Slope kind : {Slope::Tangent, Slope::Secant}) {
          activation_slope<R>(f, kind, x.data(), found.data(), n);
          reference::activation_slope<R>(f, kind, x.data(), expected.data(), n);
          expect_close(found, expected, 8 * epsilon<R>);
        }
      }
    for (Index n = 0; n < 40; ++n) {
      const auto x = random_numbers<R>(n, 2);
      std::vector<R> found(x.size()), expected(x.size());
      activate<R>(Activation::Tanh, x.data(), found.data(), n);
      reference::activate<R>(Activation::Tanh, x.data(), expected.data(), n);
      expect_close(found, expected, 3 * epsilon<R>);
    }
  });
}

TYPED_TEST(ActivationsTest, SecantNearZeroIsTheTangentAtZero) {
  using R = TypeParam;
  on_every_isa([] {
    for (const Activation f : {Activation::Gelu, Activation::GeluTanh, Activation::Silu, Activation::Tanh,
                               Activation::QuickGelu}) {
      const R tiny = std::numeric_limits<R>::min();
      const std::vector<R> x{0, tiny, -tiny, R(-0.0)};
      std::vector<R> found(4);
      activation_slope<R>(f, Slope::Secant, x.data(), found.data(), 4);
      for (const R slope : found) EXPECT_EQ(slope, f == Activation::Tanh ? R{1} : R{0.5});
    }
  });
}

TYPED_TEST(ActivationsTest, ExtremeArgumentsGiveTheLimits) {
  using R = TypeParam;
  const R huge = std::numeric_limits<R>::max();
  on_every_isa([&] {
    for (const Activation f : all) {
      SCOPED_TRACE(headwater::name_of(f));
      const std::vector<R> x{huge, R(1e4), -huge, R(-1e4)};
      const bool bounded = f == Activation::Tanh;
      std::vector<R> y(4);
      activate<R>(f, x.data(), y.data(), 4);
      EXPECT_EQ(y, (bounded ? std::vector<R>{1, 1, -1, -1} : std::vector<R>{huge, R(1e4), 0, 0}));
      activation_slope<R>(f, Slope::Tangent, x.data(), y.data(), 4);
      EXPECT_EQ(y, (bounded ? std::vector<R>{0, 0, 0, 0} : std::vector<R>{1, 1, 0, 0}));
      const R nan = std::numeric_limits<R>::quiet_NaN();
      R out = 0;
      activate<R>(f, &nan, &out, 1);
      EXPECT_TRUE(std::isnan(out));
    }
  });
}

TYPED_TEST(ActivationsTest, SameBitsOnAnyThreadsAndAnywhere) {
  using R = TypeParam;
  const auto x = random_numbers<R>(30011, 1, 6);
  expect_same_on_any_threads([&] {
    std::vector<R> y(x.size());
    activate<R>(Activation::Gelu, x.data(), y.data(), static_cast<Index>(x.size()));
    R alone = 0;
    for (const std::size_t i : {std::size_t{0}, std::size_t{15005}, x.size() - 1}) {
      activate<R>(Activation::Gelu, &x[i], &alone, 1);
      EXPECT_EQ(alone, y[i]);
    }
    return y;
  });
}

TEST(Activations, HaveTheirNames) {
  EXPECT_EQ(headwater::name_of(Activation::Gelu), "gelu");
  EXPECT_EQ(headwater::name_of(Activation::GeluTanh), "gelu_tanh");
  EXPECT_EQ(headwater::name_of(Activation::Relu), "relu");
  EXPECT_EQ(headwater::name_of(Activation::Silu), "silu");
  EXPECT_EQ(headwater::name_of(Activation::Tanh), "tanh");
  EXPECT_EQ(headwater::name_of(Activation::QuickGelu), "quick_gelu");
}

}  // namespace
}  // namespace headwater::kernels
