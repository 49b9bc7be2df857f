// y = f(x), and the slope of its linear stand-in: the tangent f'(x) or the secant f(x) / x.
//
//   gelu        x Φ(x)                      f' = Φ(x) + x φ(x)                    secant Φ(x)
//   gelu_tanh   x (1 + tanh u) / 2          f' = (1 + t) / 2 + x (1 − t²) u' / 2  secant (1 + t) / 2
//               u = √(2/π) (x + 0.044715 x³), t = tanh u
//   silu        x s, s = 1 / (1 + e^−x)     f' = s (1 + x (1 − s))                secant s
//   quick_gelu  x s(1.702 x)                f' = s (1 + 1.702 x (1 − s))          secant s
//   tanh        t                           f' = (1 − t) (1 + t)                  secant t / x, 1 at 0
//   relu        max(x, 0)                   f' = [x > 0]                          secant [x > 0]
//
// Only tanh needs a quotient for its secant; tanh keeps its relative accuracy near 0, so the quotient does
// too. The factor of x in f' is held within ±64, where all the terms it multiplies have vanished already:
// otherwise an infinite or huge x would meet a zero.
#include "base/parallel.h"
#include "kernels/kernels.h"
#include "kernels/special.h"

namespace headwater::kernels {
namespace {

constexpr Index least_numbers = 4096;  // per thread

template <class R, class V>
[[gnu::always_inline]] inline void hold(V& x) {
  x = x > R{64} ? V{} + R{64} : x;
  x = x < R{-64} ? V{} - R{64} : x;
}

// The secant slope of the activations of the form x · gate(x).
template <class R, class I, Activation F>
[[gnu::always_inline]] inline void gate(Vec<R, I>& x) {
  if constexpr (F == Activation::Gelu) {
    normal_distribution<R, I>(x);
  } else if constexpr (F == Activation::GeluTanh) {
    hold<R>(x);
    x = static_cast<R>(0.79788456080286535588) * (x + static_cast<R>(0.044715) * x * x * x);
    hyperbolic_tangent<R, I>(x);
    x = R{0.5} + R{0.5} * x;
  } else if constexpr (F == Activation::Silu) {
    logistic<R, I>(x);
  } else if constexpr (F == Activation::QuickGelu) {
    x *= static_cast<R>(1.702);
    logistic<R, I>(x);
  } else {
    static_assert(F == Activation::Relu);
    x = x > R{0} ? Vec<R, I>{} + R{1} : Vec<R, I>{};
  }
}

template <class R, class I, Activation F>
[[gnu::always_inline]] inline void value(Vec<R, I>& x) {
  if constexpr (F == Activation::Tanh) {
    hyperbolic_tangent<R, I>(x);
  } else if constexpr (F == Activation::Relu) {
    x = x < R{0} ? Vec<R, I>{} : x;  // NaN stays
  } else {
    Vec<R, I> g = x;
    gate<R, I, F>(g);
    x *= g;
  }
}

template <class R, class I, Activation F>
[[gnu::always_inline]] inline void secant(Vec<R, I>& x) {
  if constexpr (F == Activation::Tanh) {
    Vec<R, I> t = x;
    hyperbolic_tangent<R, I>(t);
    x = x == R{0} ? Vec<R, I>{} + R{1} : t / x;
  } else {
    gate<R, I, F>(x);
  }
}

template <class R, class I, Activation F>
[[gnu::always_inline]] inline void tangent(Vec<R, I>& x) {
  using V = Vec<R, I>;
  V s = x;
  if constexpr (F == Activation::Tanh) {
    hyperbolic_tangent<R, I>(s);
    x = (R{1} - s) * (R{1} + s);
    return;
  } else {
    gate<R, I, F>(s);
  }
  hold<R>(x);
  if constexpr (F == Activation::Gelu) {
    V density = R{-0.5} * x * x;
    exponential<R, I>(density);
    x = s + x * static_cast<R>(0.39894228040143267794) * density;
  } else if constexpr (F == Activation::GeluTanh) {
    // 1 − t² = 4 s (1 − s)
    const V inner = static_cast<R>(0.79788456080286535588) * (R{1} + static_cast<R>(3 * 0.044715) * x * x);
    x = s + R{2} * x * s * (R{1} - s) * inner;
  } else if constexpr (F == Activation::Silu) {
    x = s * (R{1} + x * (R{1} - s));
  } else if constexpr (F == Activation::QuickGelu) {
    x = s * (R{1} + static_cast<R>(1.702) * x * (R{1} - s));
  } else {
    x = s;
  }
}

enum class Part { Value, Tangent, Secant };

template <class R, Activation F, Part P>
void map(const R* x, R* y, Index n) {
  const Isa which = isa();
  parallel_for(n, least_numbers, [&](Index begin, Index end) {
    on_isa(
        which, [&](auto tag) __attribute__((always_inline)) {
          using I = decltype(tag);
          each_block<R, I>(
              end - begin, [&](Index i, Index count) __attribute__((always_inline)) {
                Vec<R, I> v;
                load_part(v, x + begin + i, count, R{0});
                if constexpr (P == Part::Value) value<R, I, F>(v);
                if constexpr (P == Part::Tangent) tangent<R, I, F>(v);
                if constexpr (P == Part::Secant) secant<R, I, F>(v);
                store_part(v, y + begin + i, count);
              });
        });
  });
}

template <class R, Part P>
void map_any(Activation f, const R* x, R* y, Index n) {
  switch (f) {
    case Activation::Gelu:
      return map<R, Activation::Gelu, P>(x, y, n);
    case Activation::GeluTanh:
      return map<R, Activation::GeluTanh, P>(x, y, n);
    case Activation::Relu:
      return map<R, Activation::Relu, P>(x, y, n);
    case Activation::Silu:
      return map<R, Activation::Silu, P>(x, y, n);
    case Activation::Tanh:
      return map<R, Activation::Tanh, P>(x, y, n);
    case Activation::QuickGelu:
      return map<R, Activation::QuickGelu, P>(x, y, n);
  }
}

}  // namespace

template <class R>
void activate(Activation f, const R* x, R* y, Index n) noexcept {
  map_any<R, Part::Value>(f, x, y, n);
}

template <class R>
void activation_slope(Activation f, Slope kind, const R* x, R* slope, Index n) noexcept {
  if (kind == Slope::Tangent)
    map_any<R, Part::Tangent>(f, x, slope, n);
  else
    map_any<R, Part::Secant>(f, x, slope, n);
}

template void activate(Activation, const float*, float*, Index) noexcept;
template void activate(Activation, const double*, double*, Index) noexcept;
template void activation_slope(Activation, Slope, const float*, float*, Index) noexcept;
template void activation_slope(Activation, Slope, const double*, double*, Index) noexcept;

}  // namespace headwater::kernels
