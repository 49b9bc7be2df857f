// How a change of one input runs through the rest of a block, as differences from the unchanged run: a score
// that rests on small differences keeps its relative precision, which the difference of two large results
// would lose. Value zeroing is made of these.
//
// Each works on a run of rows, on the calling thread: the caller shares the rows out. A row's bits depend
// neither on its neighbours nor on where the run was cut.
#pragma once

#include "kernels/kernels.h"

namespace headwater::kernels {

// q[r, :] = −Σ_h p[r, h] u[h, :]      p [rows, parts], u [parts, n], q [rows, n]
template <class R>
void remove_parts(const R* p, const R* u, R* q, Index rows, Index parts, Index n) noexcept;

// A norm where it stood: y = gamma ⊙ t / σ (+ beta), σ² = mean(t²) + eps, t = x − mean(x), or t = x of an
// RMSNorm.
template <class R>
struct NormRows {
  const R* t;        // [rows, n]
  const R* inverse;  // [rows] 1 / σ
  const R* gamma;    // [n]
  double eps;
  bool centred;
};
// d = norm(x + q) − norm(x), which may be written over q or not be wanted (null); inverse [rows] = 1 / σ of
// x + q, or null.
template <class R>
void norm_shift(const NormRows<R>& at, const R* q, R* d, R* inverse, Index rows, Index n) noexcept;

// A linear map into the hidden layer, scaled row by row: g[r, :] = s[r] (e[r, :] − Σ_h p[r, h] k[h, :]) + c
template <class R>
struct HiddenRows {
  const R* e;  // [rows, n]
  const R* k;  // [parts, n], rows `stride` apart
  const R* c;  // [n]
  Index stride;
};
// A stride for k that spreads the parts over the sets of a cache; n itself is often a multiple of a way.
template <class R>
constexpr Index spread_stride(Index n) {
  constexpr Index line = 64 / static_cast<Index>(sizeof(R));
  return ((n + line - 1) / line | 1) * line;
}
template <class R>
struct HiddenWhere {
  const R* p;  // [rows, parts]
  const R* s;  // [rows]
  Index rows, parts, n;
  Index begin, end;  // only these columns
};
// d[r, :] = f(up), or f(gate) ⊙ up where there is a gate, minus base[r, :] (null: minus nothing).
template <class R>
void hidden_shift(Activation f, const HiddenRows<R>& up, const HiddenRows<R>* gate,
                  const HiddenWhere<R>& where, const R* base, R* d) noexcept;

// distance[r] = ½ ‖(x + d) / ‖x + d‖ − x / ‖x‖‖² = 1 − cos(x + d, x); length [rows] = ‖x‖. 0 between two zero
// vectors, 1 between a zero vector and another.
template <class R>
void cosine_shift(const R* x, const R* length, const R* d, R* distance, Index rows, Index n) noexcept;

}  // namespace headwater::kernels
