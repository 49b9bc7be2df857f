// exp, tanh and the normal distribution function Φ on a register of numbers.
//
// float32, each with at most 2 units in the last place of error (Φ: 8e-8 absolute); the coefficients are
// least-maximum fits of the functions named beside them:
//   e^x      = 2^n e^r, n = round(x / ln 2), |r| ≤ ln 2 / 2;   e^r = 1 + r + r² P(r)
//   tanh x   = x + x³ P(x²) for |x| < 0.625, else 1 − 2 / (e^(2|x|) + 1) with the sign of x
//   Φ(−u)    = 2^(u P(u)) / 2 for 0 ≤ u ≤ 5.75, else 0 (Φ(−5.75) is 4e-9); Φ(u) = 1 − Φ(−u)
//   x Φ(x)   = max(x, 0) − |x| Φ(−|x|), which spares the choice between Φ and 1 − Φ
// float64 calls the C library for each lane: it serves checks, where accuracy comes first.
// NaN stays NaN; ±infinity gives the limits.
#pragma once

#include <cmath>
#include <type_traits>

#include "kernels/blocks.h"

namespace headwater::kernels {

namespace detail {

template <class V>
INLINED inline void polynomial(const V& x, const float* coefficients, int degree, V& result) {
  result = V{} + coefficients[degree];
  for (int i = degree - 1; i >= 0; --i) result = result * x + coefficients[i];
}

// Degree 7 in a tree: half the latency of one long chain.
template <class V>
INLINED inline void polynomial7(const V& x, const float* c, V& result) {
  const V square = x * x, fourth = square * square;
  const V a = c[1] * x + c[0], b = c[3] * x + c[2], d = c[5] * x + c[4], e = c[7] * x + c[6];
  result = (e * square + d) * fourth + (b * square + a);
}

// 2^n for a register of integers −126 ≤ n ≤ 127.
template <class I>
INLINED inline void power_of_two(const IntVec<float, I>& n, Vec<float, I>& result) {
  const IntVec<float, I> bits = (n + 127) << 23;
  std::memcpy(&result, &bits, sizeof(bits));
}

// e^x = q 2^n.
template <class I>
INLINED inline void exponential_parts(const Vec<float, I>& x, Vec<float, I>& q, IntVec<float, I>& n) {
  using V = Vec<float, I>;
  static constexpr float p[] = {0.50000001F, 0.166665188F, 0.0416662058F, 0.00836888956F, 0.00139504892F};
  constexpr float shifter = 12582912.0F;  // 1.5 · 2²³: adding it rounds to an integer in the low bits
  const V shifted = x * 1.44269504F + shifter;
  std::memcpy(&n, &shifted, sizeof(n));
  n -= 0x4B400000;
  const V whole = shifted - shifter;
  // ln 2 in two parts; the first has few bits, so that whole · part is exact.
  const V r = x - whole * 0.693359375F + whole * 2.12194440e-4F;
  polynomial(r, p, 4, q);
  q = q * r * r + r + 1.0F;
}

template <class I>
INLINED inline void exponential_float(Vec<float, I>& x) {
  using V = Vec<float, I>;
  using N = IntVec<float, I>;
  x = x < -104.0F ? V{} - 104.0F : x;  // e^−104 rounds to 0
  x = x > 89.0F ? V{} + 89.0F : x;     // e^89 is infinite
  V q;
  N n;
  exponential_parts<I>(x, q, n);
  const N half = n >> 1;  // two steps: 2^n alone may be out of range where the product is not
  V first, second;
  power_of_two<I>(half, first);
  power_of_two<I>(n - half, second);
  x = q * first * second;
}

template <class I>
INLINED inline void hyperbolic_tangent_float(Vec<float, I>& x) {
  using V = Vec<float, I>;
  static constexpr float p[] = {-0.333332839F, 0.133314913F, -0.0537434994F, 0.0206505909F, -0.00571704869F};
  const V size = x < 0.0F ? -x : x, square = x * x;
  V small;
  polynomial(square, p, 4, small);
  small = x + x * square * small;
  V large = size + size;
  exponential_float<I>(large);
  large = 1.0F - 2.0F / (large + 1.0F);
  large = x < 0.0F ? -large : large;
  x = size < 0.625F ? small : large;
}

// u = |x|, but at most 5.75; tail = Φ(−|x|).
template <class I>
INLINED inline void normal_tail(const Vec<float, I>& x, Vec<float, I>& u, Vec<float, I>& tail) {
  using V = Vec<float, I>;
  using N = IntVec<float, I>;
  static constexpr float p[] = {-1.15110516F,     -0.459208167F,    -0.0524962154F,  0.00706349005F,
                                -0.000137003443F, -0.000186146236F, 3.93690741e-05F, -2.83405784e-06F};
  static constexpr float power[] = {0.693147232F,   0.240226448F,   0.0555029346F,
                                    0.00961877526F, 0.00134104791F, 0.000152723033F};
  constexpr float most = 5.75F;
  // 1.5 · 2²³ rounds to an integer n in the low bits; 126 more make them the exponent of 2^n / 2.
  constexpr float shifter = 12582912.0F + 126.0F;
  N bits;
  std::memcpy(&bits, &x, sizeof(bits));
  bits &= 0x7FFFFFFF;
  V size, exponent, q, scale;
  std::memcpy(&size, &bits, sizeof(bits));
  u = size > most ? V{} + most : size;
  polynomial7(u, p, exponent);
  exponent *= u;  // −29 at the least
  const V shifted = exponent + shifter, rest = exponent - (shifted - shifter);
  polynomial(rest, power, 5, q);
  q = q * rest + 1.0F;
  std::memcpy(&bits, &shifted, sizeof(bits));
  bits <<= 23;
  std::memcpy(&scale, &bits, sizeof(bits));
  tail = size > most ? V{} : q * scale;
}

template <class I>
INLINED inline void normal_distribution_float(Vec<float, I>& x) {
  Vec<float, I> u, tail;
  normal_tail<I>(x, u, tail);
  x = x < 0.0F ? tail : 1.0F - tail;
}

template <class I>
INLINED inline void gelu_float(Vec<float, I>& x) {
  using V = Vec<float, I>;
  V u, tail;
  normal_tail<I>(x, u, tail);
  x = (x < 0.0F ? V{} : x) - u * tail;  // NaN stays, by u; u and not |x|: infinity times 0
}

}  // namespace detail

template <class R, class I>
INLINED inline void exponential(Vec<R, I>& x) {
  if constexpr (std::is_same_v<R, float>)
    detail::exponential_float<I>(x);
  else
    for (Index l = 0; l < lanes<R, I>; ++l) x[l] = std::exp(x[l]);
}

template <class R, class I>
INLINED inline void hyperbolic_tangent(Vec<R, I>& x) {
  if constexpr (std::is_same_v<R, float>)
    detail::hyperbolic_tangent_float<I>(x);
  else
    for (Index l = 0; l < lanes<R, I>; ++l) x[l] = std::tanh(x[l]);
}

// Φ(x) = (1 + erf(x / √2)) / 2, the normal distribution function.
template <class R, class I>
INLINED inline void normal_distribution(Vec<R, I>& x) {
  if constexpr (std::is_same_v<R, float>) {
    detail::normal_distribution_float<I>(x);
  } else {
    constexpr R root_half = static_cast<R>(0.70710678118654752440);
    for (Index l = 0; l < lanes<R, I>; ++l) x[l] = 0.5 * std::erfc(-root_half * x[l]);
  }
}

// x Φ(x)
template <class R, class I>
INLINED inline void gelu(Vec<R, I>& x) {
  if constexpr (std::is_same_v<R, float>) {
    detail::gelu_float<I>(x);
  } else {
    const Vec<R, I> factor = x;
    normal_distribution<R, I>(x);
    x *= factor;
  }
}

// s = 1 / (1 + e^−x) and its slope s (1 − s), both without cancellation in either tail.
template <class R, class I>
INLINED inline void logistic(const Vec<R, I>& x, Vec<R, I>& s, Vec<R, I>& slope) {
  Vec<R, I> e = x < R{0} ? x : -x;
  exponential<R, I>(e);
  const Vec<R, I> d = R{1} / (R{1} + e);
  s = x < R{0} ? e * d : d;
  slope = e * d * d;
}

}  // namespace headwater::kernels
