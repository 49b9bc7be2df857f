// The kernels of kernels.h and shifts.h again, written to be read: one plain loop per formula, on one thread.
// The tests hold the fast kernels equal to these, and these equal to published values. Sums are taken in
// double whatever R is, so that the rounding error a test sees is the fast kernel's own.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "kernels/kernels.h"
#include "kernels/shifts.h"

namespace headwater::kernels::reference {

template <class R>
void gemm(const Gemm& g, const R* a, const R* b, R* c) noexcept {
  for (Index i = 0; i < g.m; ++i)
    for (Index j = 0; j < g.n; ++j) {
      double sum = 0;
      for (Index k = 0; k < g.k; ++k)
        sum += static_cast<double>(g.transpose_a ? a[k * g.lda + i] : a[i * g.lda + k]) *
               static_cast<double>(g.transpose_b ? b[j * g.ldb + k] : b[k * g.ldb + j]);
      R& to = c[i * g.ldc + j];
      to = static_cast<R>(g.alpha * sum + (g.beta == 0 ? 0 : g.beta * static_cast<double>(to)));
    }
}

template <class R>
void softmax(const R* x, R* y, Index rows, Index n, Index causal_period) noexcept {
  for (Index r = 0; r < rows; ++r, x += n, y += n) {
    const Index keys = causal_period > 0 ? std::min(n, r % causal_period + 1) : n;
    double most = -std::numeric_limits<double>::infinity(), sum = 0;
    for (Index i = 0; i < keys; ++i) most = std::max(most, static_cast<double>(x[i]));
    for (Index i = 0; i < keys; ++i) sum += std::exp(static_cast<double>(x[i]) - most);
    for (Index i = 0; i < n; ++i)
      y[i] = i < keys ? static_cast<R>(std::exp(static_cast<double>(x[i]) - most) / sum) : R{0};
  }
}

template <class R>
void softmax_jacobian(const R* y, const R* g, R* dx, Index rows, Index n) noexcept {
  for (Index r = 0; r < rows; ++r, y += n, g += n, dx += n) {
    double dot = 0;
    for (Index i = 0; i < n; ++i) dot += static_cast<double>(g[i]) * static_cast<double>(y[i]);
    for (Index i = 0; i < n; ++i)
      dx[i] = static_cast<R>(static_cast<double>(y[i]) * (static_cast<double>(g[i]) - dot));
  }
}

struct Moments {
  double mean = 0, sigma = 0;
};

template <class R>
Moments moments(const R* x, Index n, double eps, bool centred) {
  Moments at;
  if (centred)
    for (Index i = 0; i < n; ++i) at.mean += static_cast<double>(x[i]) / static_cast<double>(n);
  double variance = 0;
  for (Index i = 0; i < n; ++i) variance += std::pow(static_cast<double>(x[i]) - at.mean, 2);
  at.sigma = std::sqrt(variance / static_cast<double>(n) + eps);
  return at;
}

template <class R>
void norm_jacobian(const Norm<R>& by, const R* x, const R* s, R* out, Index rows, Index n, double exact,
                   bool pull) {
  for (Index r = 0; r < rows; ++r, x += n, s += n, out += n) {
    const Moments at = moments(x, n, by.eps, by.centred);
    const auto signal = [&](Index i) {
      return static_cast<double>(s[i]) * (pull ? static_cast<double>(by.gamma[i]) : 1.0);
    };
    const auto normal = [&](Index i) { return (static_cast<double>(x[i]) - at.mean) / at.sigma; };
    double mean = 0, along = 0;
    for (Index i = 0; i < n; ++i) {
      mean += by.centred ? signal(i) / static_cast<double>(n) : 0;
      along += signal(i) * normal(i) / static_cast<double>(n);
    }
    for (Index i = 0; i < n; ++i) {
      const double slope = (signal(i) - mean - exact * normal(i) * along) / at.sigma;
      out[i] = static_cast<R>(pull ? slope : static_cast<double>(by.gamma[i]) * slope);
    }
  }
}

template <class R>
void norm(const Norm<R>& by, const R* x, R* y, Index rows, Index n) noexcept {
  for (Index r = 0; r < rows; ++r, x += n, y += n) {
    const Moments at = moments(x, n, by.eps, by.centred);
    for (Index i = 0; i < n; ++i)
      y[i] =
          static_cast<R>(static_cast<double>(by.gamma[i]) * (static_cast<double>(x[i]) - at.mean) / at.sigma +
                         (by.centred ? static_cast<double>(by.beta[i]) : 0.0));
  }
}

template <class R>
void norm_pull(const Norm<R>& by, const R* x, const R* m, R* dx, Index rows, Index n, double exact) noexcept {
  norm_jacobian(by, x, m, dx, rows, n, exact, true);
}

template <class R>
void norm_push(const Norm<R>& by, const R* x, const R* u, R* dy, Index rows, Index n, double exact) noexcept {
  norm_jacobian(by, x, u, dy, rows, n, exact, false);
}

inline double normal_distribution(double x) {
  return 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

inline double logistic(double x) {
  return 1 / (1 + std::exp(-x));
}

inline constexpr double gelu_cubic = 0.044715;
inline const double gelu_scale = std::sqrt(2 / std::numbers::pi);

inline double value(Activation f, double x) {
  switch (f) {
    case Activation::Gelu:
      return x * normal_distribution(x);
    case Activation::GeluTanh:
      return 0.5 * x * (1 + std::tanh(gelu_scale * (x + gelu_cubic * x * x * x)));
    case Activation::Relu:
      return std::max(x, 0.0);
    case Activation::Silu:
      return x * logistic(x);
    case Activation::Tanh:
      return std::tanh(x);
    case Activation::QuickGelu:
      return x * logistic(1.702 * x);
  }
  return 0;
}

inline double tangent(Activation f, double x) {
  switch (f) {
    case Activation::Gelu:
      return normal_distribution(x) + x * std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
    case Activation::GeluTanh: {
      const double u = gelu_scale * (x + gelu_cubic * x * x * x);
      const double du = gelu_scale * (1 + 3 * gelu_cubic * x * x);
      return 0.5 * (1 + std::tanh(u)) + 0.5 * x * du / std::pow(std::cosh(u), 2);
    }
    case Activation::Relu:
      return x > 0 ? 1 : 0;
    case Activation::Silu:
      return logistic(x) * (1 + x * logistic(-x));
    case Activation::Tanh:
      return 1 / std::pow(std::cosh(x), 2);
    case Activation::QuickGelu:
      return logistic(1.702 * x) * (1 + 1.702 * x * logistic(-1.702 * x));
  }
  return 0;
}

template <class R>
void activate(Activation f, const R* x, R* y, Index n) noexcept {
  for (Index i = 0; i < n; ++i) y[i] = static_cast<R>(value(f, static_cast<double>(x[i])));
}

template <class R>
void activation_slope(Activation f, Slope kind, const R* x, R* slope, Index n) noexcept {
  for (Index i = 0; i < n; ++i) {
    const double at = static_cast<double>(x[i]);
    // The limit of f(x)/x at 0 is f'(0).
    slope[i] = static_cast<R>(kind == Slope::Tangent || at == 0 ? tangent(f, at) : value(f, at) / at);
  }
}

template <class R>
void rotate(const R* x, const R* cos, const R* sin, R* y, Index rows, Index tokens, Index heads, Index e,
            int direction) noexcept {
  for (Index r = 0; r < rows; ++r)
    for (Index h = 0; h < heads; ++h, x += e, y += e)
      for (Index i = 0; i < e / 2; ++i) {
        const R c = cos[r % tokens * (e / 2) + i],
                s = static_cast<R>(direction) * sin[r % tokens * (e / 2) + i];
        const R first = x[i], second = x[i + e / 2];
        y[i] = first * c - second * s;
        y[i + e / 2] = second * c + first * s;
      }
}

template <class R>
void add(const R* a, const R* b, R* y, Index n) noexcept {
  for (Index i = 0; i < n; ++i) y[i] = a[i] + b[i];
}

template <class R>
void accumulate(const R* a, R* y, Index n) noexcept {
  for (Index i = 0; i < n; ++i) y[i] += a[i];
}

template <class R>
void multiply(const R* a, const R* b, R* y, Index n) noexcept {
  for (Index i = 0; i < n; ++i) y[i] = a[i] * b[i];
}

template <class R>
void scale(const R* a, double factor, R* y, Index n) noexcept {
  for (Index i = 0; i < n; ++i) y[i] = a[i] * static_cast<R>(factor);
}

template <class R>
void add_bias(R* y, const R* bias, Index rows, Index n) noexcept {
  for (Index r = 0; r < rows; ++r)
    for (Index i = 0; i < n; ++i) y[r * n + i] += bias[i];
}

// The differences of shifts.h as what they are: the changed value minus the old one.
template <class R>
double part_sum(const R* p, const R* k, Index row, Index column, Index parts, Index stride) {
  double sum = 0;
  for (Index h = 0; h < parts; ++h)
    sum += static_cast<double>(p[row * parts + h]) * static_cast<double>(k[h * stride + column]);
  return sum;
}

template <class R>
double hidden(const HiddenRows<R>& map, const HiddenWhere<R>& at, Index row, Index column) {
  const double e = static_cast<double>(map.e[row * at.n + column]);
  return static_cast<double>(at.s[row]) * (e - part_sum(at.p, map.k, row, column, at.parts, map.stride)) +
         static_cast<double>(map.c[column]);
}

inline double length_of(const std::vector<double>& x) {
  double sum = 0;
  for (const double v : x) sum += v * v;
  return std::sqrt(sum);
}

template <class R>
void remove_parts(const R* p, const R* u, R* q, Index rows, Index parts, Index n) noexcept {
  for (Index r = 0; r < rows; ++r)
    for (Index i = 0; i < n; ++i) q[r * n + i] = static_cast<R>(-part_sum(p, u, r, i, parts, n));
}

template <class R>
void norm_shift(const NormRows<R>& at, const R* q, R* d, R* inverse, Index rows, Index n) noexcept {
  for (Index r = 0; r < rows; ++r) {
    std::vector<double> x(static_cast<std::size_t>(n));
    double mean = 0, square = 0;
    for (Index i = 0; i < n; ++i) {
      x[static_cast<std::size_t>(i)] =
          static_cast<double>(at.t[r * n + i]) + static_cast<double>(q[r * n + i]);
      mean += x[static_cast<std::size_t>(i)] / static_cast<double>(n);
    }
    for (double& v : x) {
      if (at.centred) v -= mean;
      square += v * v / static_cast<double>(n);
    }
    const double sigma = std::sqrt(square + at.eps);
    if (inverse != nullptr) inverse[r] = static_cast<R>(1 / sigma);
    for (Index i = 0; d != nullptr && i < n; ++i) {
      const double before = static_cast<double>(at.t[r * n + i]) * static_cast<double>(at.inverse[r]);
      d[r * n + i] = static_cast<R>(static_cast<double>(at.gamma[i]) *
                                    (x[static_cast<std::size_t>(i)] / sigma - before));
    }
  }
}

template <class R>
void hidden_shift(Activation f, const HiddenRows<R>& up, const HiddenRows<R>* gate, const HiddenWhere<R>& at,
                  const R* base, R* d) noexcept {
  for (Index r = 0; r < at.rows; ++r)
    for (Index i = at.begin; i < at.end; ++i) {
      const double straight = hidden(up, at, r, i),
                   bent = gate == nullptr ? straight : hidden(*gate, at, r, i);
      double y = 0;
      reference::activate<double>(f, &bent, &y, 1);
      if (gate != nullptr) y *= straight;
      d[r * at.n + i] = static_cast<R>(y - (base == nullptr ? 0.0 : static_cast<double>(base[r * at.n + i])));
    }
}

template <class R>
void cosine_shift(const R* x, const R*, const R* d, R* distance, Index rows, Index n) noexcept {
  for (Index r = 0; r < rows; ++r, x += n, d += n) {
    std::vector<double> before(x, x + n), now(before);
    for (Index i = 0; i < n; ++i) now[static_cast<std::size_t>(i)] += static_cast<double>(d[i]);
    const double a = length_of(before), b = length_of(now);
    for (std::size_t i = 0; i < now.size(); ++i) now[i] = now[i] / b - before[i] / a;
    const double gap = length_of(now);
    distance[r] = a == 0 || b == 0 ? (a == b ? R{0} : R{1}) : static_cast<R>(gap * gap / 2);
  }
}

}  // namespace headwater::kernels::reference
