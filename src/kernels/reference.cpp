// Each kernel as its formula. Sums are taken in double whatever R is, so that the rounding error a test
// sees is the fast kernel's own.
#include "kernels/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

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
void gemm_batch(const Gemm& shape, const std::vector<GemmTask<R>>& tasks) noexcept {
  for (const GemmTask<R>& task : tasks) reference::gemm(shape, task.a, task.b, task.c);
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

namespace {

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
void norm_jacobian(const R* x, const R* gamma, const R* s, R* out, Index rows, Index n, double eps,
                   double exact, bool centred, bool pull) {
  for (Index r = 0; r < rows; ++r, x += n, s += n, out += n) {
    const Moments at = moments(x, n, eps, centred);
    const auto signal = [&](Index i) {
      return static_cast<double>(s[i]) * (pull ? static_cast<double>(gamma[i]) : 1.0);
    };
    const auto normal = [&](Index i) { return (static_cast<double>(x[i]) - at.mean) / at.sigma; };
    double mean = 0, along = 0;
    for (Index i = 0; i < n; ++i) {
      mean += centred ? signal(i) / static_cast<double>(n) : 0;
      along += signal(i) * normal(i) / static_cast<double>(n);
    }
    for (Index i = 0; i < n; ++i) {
      const double slope = (signal(i) - mean - exact * normal(i) * along) / at.sigma;
      out[i] = static_cast<R>(pull ? slope : static_cast<double>(gamma[i]) * slope);
    }
  }
}

}  // namespace

template <class R>
void layer_norm(const R* x, const R* gamma, const R* beta, R* y, Index rows, Index n, double eps) noexcept {
  for (Index r = 0; r < rows; ++r, x += n, y += n) {
    const Moments at = moments(x, n, eps, true);
    for (Index i = 0; i < n; ++i)
      y[i] = static_cast<R>(static_cast<double>(gamma[i]) * (static_cast<double>(x[i]) - at.mean) / at.sigma +
                            static_cast<double>(beta[i]));
  }
}

template <class R>
void layer_norm_pull(const R* x, const R* gamma, const R* m, R* dx, Index rows, Index n, double eps,
                     double exact) noexcept {
  norm_jacobian(x, gamma, m, dx, rows, n, eps, exact, true, true);
}

template <class R>
void layer_norm_push(const R* x, const R* gamma, const R* u, R* dy, Index rows, Index n, double eps,
                     double exact) noexcept {
  norm_jacobian(x, gamma, u, dy, rows, n, eps, exact, true, false);
}

template <class R>
void rms_norm(const R* x, const R* gamma, R* y, Index rows, Index n, double eps) noexcept {
  for (Index r = 0; r < rows; ++r, x += n, y += n) {
    const Moments at = moments(x, n, eps, false);
    for (Index i = 0; i < n; ++i)
      y[i] = static_cast<R>(static_cast<double>(gamma[i]) * static_cast<double>(x[i]) / at.sigma);
  }
}

template <class R>
void rms_norm_pull(const R* x, const R* gamma, const R* m, R* dx, Index rows, Index n, double eps,
                   double exact) noexcept {
  norm_jacobian(x, gamma, m, dx, rows, n, eps, exact, false, true);
}

template <class R>
void rms_norm_push(const R* x, const R* gamma, const R* u, R* dy, Index rows, Index n, double eps,
                   double exact) noexcept {
  norm_jacobian(x, gamma, u, dy, rows, n, eps, exact, false, false);
}

namespace {

double normal_distribution(double x) {
  return 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

double logistic(double x) {
  return 1 / (1 + std::exp(-x));
}

constexpr double gelu_cubic = 0.044715;
const double gelu_scale = std::sqrt(2 / std::numbers::pi);

double value(Activation f, double x) {
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

double tangent(Activation f, double x) {
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

}  // namespace

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

template void gemm(const Gemm&, const float*, const float*, float*) noexcept;
template void gemm_batch(const Gemm&, const std::vector<GemmTask<float>>&) noexcept;
template void softmax(const float*, float*, Index, Index, Index) noexcept;
template void softmax_jacobian(const float*, const float*, float*, Index, Index) noexcept;
template void layer_norm(const float*, const float*, const float*, float*, Index, Index, double) noexcept;
template void rms_norm(const float*, const float*, float*, Index, Index, double) noexcept;
template void layer_norm_pull(const float*, const float*, const float*, float*, Index, Index, double,
                              double) noexcept;
template void layer_norm_push(const float*, const float*, const float*, float*, Index, Index, double,
                              double) noexcept;
template void rms_norm_pull(const float*, const float*, const float*, float*, Index, Index, double,
                            double) noexcept;
template void rms_norm_push(const float*, const float*, const float*, float*, Index, Index, double,
                            double) noexcept;
template void activate(Activation, const float*, float*, Index) noexcept;
template void activation_slope(Activation, Slope, const float*, float*, Index) noexcept;
template void add(const float*, const float*, float*, Index) noexcept;
template void accumulate(const float*, float*, Index) noexcept;
template void multiply(const float*, const float*, float*, Index) noexcept;
template void scale(const float*, double, float*, Index) noexcept;
template void add_bias(float*, const float*, Index, Index) noexcept;
template void rotate(const float*, const float*, const float*, float*, Index, Index, Index, Index,
                     int) noexcept;
template void gemm(const Gemm&, const double*, const double*, double*) noexcept;
template void gemm_batch(const Gemm&, const std::vector<GemmTask<double>>&) noexcept;
template void softmax(const double*, double*, Index, Index, Index) noexcept;
template void softmax_jacobian(const double*, const double*, double*, Index, Index) noexcept;
template void layer_norm(const double*, const double*, const double*, double*, Index, Index, double) noexcept;
template void rms_norm(const double*, const double*, double*, Index, Index, double) noexcept;
template void layer_norm_pull(const double*, const double*, const double*, double*, Index, Index, double,
                              double) noexcept;
template void layer_norm_push(const double*, const double*, const double*, double*, Index, Index, double,
                              double) noexcept;
template void rms_norm_pull(const double*, const double*, const double*, double*, Index, Index, double,
                            double) noexcept;
template void rms_norm_push(const double*, const double*, const double*, double*, Index, Index, double,
                            double) noexcept;
template void activate(Activation, const double*, double*, Index) noexcept;
template void activation_slope(Activation, Slope, const double*, double*, Index) noexcept;
template void add(const double*, const double*, double*, Index) noexcept;
template void accumulate(const double*, double*, Index) noexcept;
template void multiply(const double*, const double*, double*, Index) noexcept;
template void scale(const double*, double, double*, Index) noexcept;
template void add_bias(double*, const double*, Index, Index) noexcept;
template void rotate(const double*, const double*, const double*, double*, Index, Index, Index, Index,
                     int) noexcept;

}  // namespace headwater::kernels::reference
