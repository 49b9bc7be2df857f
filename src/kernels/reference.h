// The kernels of kernels.h again, written to be read: one plain loop per formula, on one thread. Always
// built; the tests hold the fast kernels equal to these, and these equal to published values.
#pragma once

#include "kernels/kernels.h"
#include "kernels/shifts.h"

namespace headwater::kernels::reference {

template <class R>
void gemm(const Gemm& shape, const R* a, const R* b, R* c) noexcept;
template <class R>
void gemm_batch(const Gemm& shape, const std::vector<GemmTask<R>>& tasks) noexcept;

template <class R>
void softmax(const R* x, R* y, Index rows, Index n, Index causal_period) noexcept;
template <class R>
void softmax_jacobian(const R* y, const R* g, R* dx, Index rows, Index n) noexcept;

template <class R>
void layer_norm(const R* x, const R* gamma, const R* beta, R* y, Index rows, Index n, double eps) noexcept;
template <class R>
void layer_norm_pull(const R* x, const R* gamma, const R* m, R* dx, Index rows, Index n, double eps,
                     double exact) noexcept;
template <class R>
void layer_norm_push(const R* x, const R* gamma, const R* u, R* dy, Index rows, Index n, double eps,
                     double exact) noexcept;
template <class R>
void rms_norm(const R* x, const R* gamma, R* y, Index rows, Index n, double eps) noexcept;
template <class R>
void rms_norm_pull(const R* x, const R* gamma, const R* m, R* dx, Index rows, Index n, double eps,
                   double exact) noexcept;
template <class R>
void rms_norm_push(const R* x, const R* gamma, const R* u, R* dy, Index rows, Index n, double eps,
                   double exact) noexcept;

template <class R>
void activate(Activation f, const R* x, R* y, Index n) noexcept;
template <class R>
void activation_slope(Activation f, Slope kind, const R* x, R* slope, Index n) noexcept;

template <class R>
void rotate(const R* x, const R* cos, const R* sin, R* y, Index rows, Index tokens, Index heads, Index e,
            int direction) noexcept;
template <class R>
void add(const R* a, const R* b, R* y, Index n) noexcept;
template <class R>
void accumulate(const R* a, R* y, Index n) noexcept;
template <class R>
void multiply(const R* a, const R* b, R* y, Index n) noexcept;
template <class R>
void scale(const R* a, double factor, R* y, Index n) noexcept;
template <class R>
void add_bias(R* y, const R* bias, Index rows, Index n) noexcept;

template <class R>
void remove_parts(const R* p, const R* u, R* q, Index rows, Index parts, Index n) noexcept;
template <class R>
void norm_shift(const NormRows<R>& at, const R* q, R* d, R* inverse, Index rows, Index n) noexcept;
template <class R>
void hidden_shift(Activation f, const HiddenRows<R>& up, const HiddenRows<R>* gate,
                  const HiddenWhere<R>& where, const R* base, R* d) noexcept;
template <class R>
void cosine_shift(const R* x, const R* length, const R* d, R* distance, Index rows, Index n) noexcept;

}  // namespace headwater::kernels::reference
