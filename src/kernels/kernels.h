// The numeric loops. Plain pointers, no checks, noexcept: shapes were checked where the op was recorded.
// Every function exists for float and double. Rows are independent, so a result never depends on the
// number of threads or on neighbouring rows.
//
// Tests hold each equal to a plain loop (tests/support/reference_kernels.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headwater {

using Index = std::int64_t;

enum class Activation { Gelu, GeluTanh, Relu, Silu, Tanh, QuickGelu };

std::string_view name_of(Activation activation);

namespace kernels {

// C = alpha op(A) op(B) + beta C, row-major; op(A) is [m, k], op(B) is [k, n]. lda, ldb and ldc are how far
// rows are apart; 0: they follow each other.
struct Gemm {
  Index m = 0, n = 0, k = 0;
  bool transpose_a = false, transpose_b = false;
  Index lda = 0, ldb = 0, ldc = 0;
  double alpha = 1, beta = 0;
};

template <class R>
void gemm(const Gemm& shape, const R* a, const R* b, R* c) noexcept;

// Many products of one shape, pointers given one by one: the batched and strided form for attention.
template <class R>
struct GemmTask {
  const R* a;
  const R* b;
  R* c;
};
template <class R>
void gemm_batch(const Gemm& shape, const std::vector<GemmTask<R>>& tasks) noexcept;

// y = softmax over each row of length n. With `causal_period` T > 0, row r stands for query r mod T and
// only keys 0 … r mod T take part; the others become exactly 0.
template <class R>
void softmax(const R* x, R* y, Index rows, Index n, Index causal_period) noexcept;
// dx = y ⊙ (g − Σ g y); the Jacobian of softmax is symmetric, so this is pull and push alike.
template <class R>
void softmax_jacobian(const R* y, const R* g, R* dx, Index rows, Index n) noexcept;

// y = gamma ⊙ (x − mean) / σ + beta over each row, σ² = mean((x − mean)²) + eps; an RMSNorm is not centred:
// its mean is taken for 0, and it has no beta.
template <class R>
struct Norm {
  const R* gamma;
  const R* beta;
  double eps;
  bool centred;
};
template <class R>
void norm(const Norm<R>& by, const R* x, R* y, Index rows, Index n) noexcept;
// dx = (g − mean(g) − exact · n̂ mean(g n̂)) / σ with g = gamma ⊙ m. exact = 0 holds σ constant.
template <class R>
void norm_pull(const Norm<R>& by, const R* x, const R* m, R* dx, Index rows, Index n, double exact) noexcept;
// dy = gamma ⊙ (u − mean(u) − exact · n̂ mean(u n̂)) / σ: the transpose of the above.
template <class R>
void norm_push(const Norm<R>& by, const R* x, const R* u, R* dy, Index rows, Index n, double exact) noexcept;

// y = f(x); slope = f'(x), or the secant f(x)/x (with its limit f'(0) at 0).
template <class R>
void activate(Activation f, const R* x, R* y, Index n) noexcept;
enum class Slope { Tangent, Secant };
template <class R>
void activation_slope(Activation f, Slope kind, const R* x, R* slope, Index n) noexcept;

// Rotary embedding of rows [T, heads, E] in place of a complex rotation: pairs (i, i + E/2) are turned by
// position · inverse_frequency[i]. cos and sin are [T, E/2]. direction −1 turns back (the transpose).
template <class R>
void rotate(const R* x, const R* cos, const R* sin, R* y, Index rows, Index tokens, Index heads, Index e,
            int direction) noexcept;

// Elementwise over n numbers.
template <class R>
void add(const R* a, const R* b, R* y, Index n) noexcept;
template <class R>
void accumulate(const R* a, R* y, Index n) noexcept;  // y += a
template <class R>
void multiply(const R* a, const R* b, R* y, Index n) noexcept;
template <class R>
void scale(const R* a, double factor, R* y, Index n) noexcept;
template <class R>
void add_bias(R* y, const R* bias, Index rows, Index n) noexcept;  // y[r, :] += bias

}  // namespace kernels

// What `headwater info` prints: the processor's features, and per kernel which implementation runs.
struct KernelChoice {
  std::string kernel, implementation;
};
std::vector<std::string> cpu_features();
std::vector<KernelChoice> kernels_in_use();

}  // namespace headwater
