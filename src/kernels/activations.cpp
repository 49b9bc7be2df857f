// y = f(x), and the slope of its linear stand-in: the tangent f'(x) or the secant f(x) / x.
//
//   gelu        x Φ(x)                    f' = Φ(x) + x φ(x)               secant Φ(x)
//   gelu_tanh   x s(2u)                   f' = s(2u) + 2 x s'(2u) u'       secant s(2u)
//               u = √(2/π) (x + 0.044715 x³), (1 + tanh u) / 2 = s(2u)
//   silu        x s(x)                    f' = s(x) + x s'(x)              secant s(x)
//   quick_gelu  x s(1.702 x)              f' = s + 1.702 x s'              secant s(1.702 x)
//   tanh        t                         f' = 4 s'(2x)                    secant t / x, 1 at 0
//   relu        max(x, 0)                 f' = [x > 0]                     secant [x > 0]
//
// with s(x) = 1 / (1 + e^−x) and s' = s (1 − s). Only tanh needs a quotient for its secant; tanh keeps its
// relative accuracy near 0, so the quotient does too. The factor x in f' is held within ±64, where what it
// multiplies has vanished or will: otherwise a huge x would meet a zero.
#include "kernels/activate.h"
#include "kernels/blocks.h"

namespace headwater::kernels {
namespace {

constexpr Index least_numbers = 4096;  // per thread

template <class R, class I, Activation F>
INLINED inline void secant(Vec<R, I>& x) {
  if constexpr (F == Activation::Tanh) {
    Vec<R, I> t = x;
    hyperbolic_tangent<R, I>(t);
    x = x == R{0} ? Vec<R, I>{} + R{1} : t / x;
  } else {
    Vec<R, I> rise;
    gate<R, I, F>(x, rise);
  }
}

template <class R, class I, Activation F>
INLINED inline void tangent(Vec<R, I>& x) {
  Vec<R, I> s = x, rise;
  if constexpr (F == Activation::Tanh) {
    logistic<R, I>(R{2} * x, s, rise);
    x = R{4} * rise;
  } else {
    gate<R, I, F>(s, rise);
    hold<R>(x);
    x = s + x * rise;
  }
}

enum class Part { Value, Tangent, Secant };

template <class R, Part P>
void map(Activation f, const R* x, R* y, Index n) {
  with_activation(f, [&](auto chosen) {
    each_element<R>(n, least_numbers, y, [&](auto tag, Index i, Index count, auto& v) INLINED {
      using I = decltype(tag);
      constexpr Activation F = decltype(chosen)::value;
      load_part(v, x + i, count);
      if constexpr (P == Part::Value) value<R, I, F>(v);
      if constexpr (P == Part::Tangent) tangent<R, I, F>(v);
      if constexpr (P == Part::Secant) secant<R, I, F>(v);
    });
  });
}

}  // namespace

template <class R>
void activate(Activation f, const R* x, R* y, Index n) noexcept {
  map<R, Part::Value>(f, x, y, n);
}

template <class R>
void activation_slope(Activation f, Slope kind, const R* x, R* slope, Index n) noexcept {
  if (kind == Slope::Tangent)
    map<R, Part::Tangent>(f, x, slope, n);
  else
    map<R, Part::Secant>(f, x, slope, n);
}

template void activate(Activation, const float*, float*, Index) noexcept;
template void activate(Activation, const double*, double*, Index) noexcept;
template void activation_slope(Activation, Slope, const float*, float*, Index) noexcept;
template void activation_slope(Activation, Slope, const double*, double*, Index) noexcept;

}  // namespace headwater::kernels
