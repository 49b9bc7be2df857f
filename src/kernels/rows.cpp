// Softmax and the norms, row by row.
//
//   softmax     y = e^(x − max) / Σ e^(x − max)                 Jacobian  dx = y ⊙ (g − Σ g y)
//   norm        y = γ n̂ + β,  n̂ = (x − mean) / σ
//               pull  dx = (g − mean g − exact n̂ mean(g n̂)) / σ
//
// with g = γ ⊙ m, and without the means and β of an RMSNorm; a push is the transpose: g = u, and γ multiplies
// the result. exact = 0 holds σ constant.
// Sums run over fixed lanes of a register, so that they do not depend on where the row lies in memory.
#include <cmath>
#include <limits>

#include "kernels/kernels.h"
#include "kernels/special.h"

namespace headwater::kernels {
namespace {

constexpr Index least_numbers = 16384;  // per thread

template <class R>
struct Moments {
  R mean, inverse_sigma;
};

template <class R, class I, bool Centred>
INLINED inline Moments<R> moments(const R* x, Index n, double eps) {
  using V = Vec<R, I>;
  R mean = 0;
  if constexpr (Centred)
    mean = sum_over<R, I>(n, [&](Index i, Index count, V& v) INLINED { load_part(v, x + i, count); }) /
           static_cast<R>(n);
  const R variance = sum_over<R, I>(n,
                                    [&](Index i, Index count, V& v) INLINED {
                                      load_part(v, x + i, count, mean);
                                      v -= mean;
                                      v *= v;
                                    }) /
                     static_cast<R>(n);
  return {mean, 1 / std::sqrt(variance + static_cast<R>(eps))};
}

// Pull (γ inside) and push (γ outside) of both norms.
template <class R, class I, bool Centred, bool Pull>
INLINED inline void norm_jacobian(const Norm<R>& by, const R* x, const R* s, R* out, Index n, R exact) {
  using V = Vec<R, I>;
  const Moments<R> at = moments<R, I, Centred>(x, n, by.eps);
  const auto signal = [&](Index i, Index count, V& g) INLINED {
    load_part(g, s + i, count);
    if constexpr (Pull) {
      V scale;
      load_part(scale, by.gamma + i, count);
      g *= scale;
    }
  };
  const auto normal = [&](Index i, Index count, V& v) INLINED {
    load_part(v, x + i, count, at.mean);
    v = (v - at.mean) * at.inverse_sigma;
  };
  R mean = 0, along = 0;
  if constexpr (Centred) mean = sum_over<R, I>(n, signal) / static_cast<R>(n);
  if (exact != 0)
    along = exact *
            sum_over<R, I>(n,
                           [&](Index i, Index count, V& v) INLINED {
                             V g;
                             signal(i, count, g);
                             normal(i, count, v);
                             v *= g;
                           }) /
            static_cast<R>(n);
  each_block<R, I>(n, [&](Index i, Index count) INLINED {
    V g, v;
    signal(i, count, g);
    normal(i, count, v);
    g = (g - mean - along * v) * at.inverse_sigma;
    if constexpr (!Pull) {
      load_part(v, by.gamma + i, count);
      g *= v;
    }
    store_part(g, out + i, count);
  });
}

template <class R, bool Pull>
void norm_jacobian_rows(const Norm<R>& by, const R* x, const R* s, R* out, Index rows, Index n,
                        double exact) noexcept {
  each_row(rows, n, least_numbers, [&](auto tag, Index r) INLINED {
    using I = decltype(tag);
    const Index at = r * n;
    if (by.centred)
      norm_jacobian<R, I, true, Pull>(by, x + at, s + at, out + at, n, static_cast<R>(exact));
    else
      norm_jacobian<R, I, false, Pull>(by, x + at, s + at, out + at, n, static_cast<R>(exact));
  });
}

template <class R, class I, bool Centred>
INLINED inline void norm_row(const Norm<R>& by, const R* x, R* y, Index n) {
  const Moments<R> at = moments<R, I, Centred>(x, n, by.eps);
  each_block<R, I>(n, [&](Index i, Index count) INLINED {
    Vec<R, I> v, scale, shift;
    load_part(v, x + i, count);
    load_part(scale, by.gamma + i, count);
    if constexpr (Centred) {
      load_part(shift, by.beta + i, count);
      v = (v - at.mean) * at.inverse_sigma * scale + shift;
    } else {
      v = v * at.inverse_sigma * scale;
    }
    store_part(v, y + i, count);
  });
}

template <class R, class I>
INLINED inline void softmax_row(const R* x, R* y, Index n) {
  using V = Vec<R, I>;
  constexpr R lowest = -std::numeric_limits<R>::infinity();
  V most = V{} + lowest;
  each_block<R, I>(n, [&](Index i, Index count) INLINED {
    V v;
    load_part(v, x + i, count, lowest);
    most = v > most ? v : most;
  });
  R peak = lowest;
  for (Index l = 0; l < lanes<R, I>; ++l) peak = std::max<R>(peak, most[l]);
  const R sum = sum_over<R, I>(n, [&](Index i, Index count, V& v) INLINED {
    load_part(v, x + i, count, lowest);
    v -= peak;
    exponential<R, I>(v);
    store_part(v, y + i, count);
  });
  const R factor = 1 / sum;
  each_block<R, I>(n, [&](Index i, Index count) INLINED {
    V v;
    load_part(v, y + i, count);
    v *= factor;
    store_part(v, y + i, count);
  });
}

}  // namespace

template <class R>
void softmax(const R* x, R* y, Index rows, Index n, Index causal_period) noexcept {
  each_row(rows, n, least_numbers, [&](auto tag, Index r) INLINED {
    const Index keys = causal_period > 0 ? std::min(n, r % causal_period + 1) : n;
    softmax_row<R, decltype(tag)>(x + r * n, y + r * n, keys);
    std::fill(y + r * n + keys, y + (r + 1) * n, R{0});
  });
}

template <class R>
void softmax_jacobian(const R* y, const R* g, R* dx, Index rows, Index n) noexcept {
  each_row(rows, n, least_numbers, [&](auto tag, Index r) INLINED {
    using I = decltype(tag);
    using V = Vec<R, I>;
    const R* yr = y + r * n;
    const R* gr = g + r * n;
    const R dot = sum_over<R, I>(n, [&](Index i, Index count, V& v) INLINED {
      V w;
      load_part(v, yr + i, count);
      load_part(w, gr + i, count);
      v *= w;
    });
    each_block<R, I>(n, [&](Index i, Index count) INLINED {
      V v, w;
      load_part(v, yr + i, count);
      load_part(w, gr + i, count);
      v *= w - dot;
      store_part(v, dx + r * n + i, count);
    });
  });
}

template <class R>
void norm(const Norm<R>& by, const R* x, R* y, Index rows, Index n) noexcept {
  each_row(rows, n, least_numbers, [&](auto tag, Index r) INLINED {
    if (by.centred)
      norm_row<R, decltype(tag), true>(by, x + r * n, y + r * n, n);
    else
      norm_row<R, decltype(tag), false>(by, x + r * n, y + r * n, n);
  });
}

template <class R>
void norm_pull(const Norm<R>& by, const R* x, const R* m, R* dx, Index rows, Index n, double exact) noexcept {
  norm_jacobian_rows<R, true>(by, x, m, dx, rows, n, exact);
}
template <class R>
void norm_push(const Norm<R>& by, const R* x, const R* u, R* dy, Index rows, Index n, double exact) noexcept {
  norm_jacobian_rows<R, false>(by, x, u, dy, rows, n, exact);
}

template void softmax(const float*, float*, Index, Index, Index) noexcept;
template void softmax(const double*, double*, Index, Index, Index) noexcept;
template void softmax_jacobian(const float*, const float*, float*, Index, Index) noexcept;
template void softmax_jacobian(const double*, const double*, double*, Index, Index) noexcept;
template void norm(const Norm<float>&, const float*, float*, Index, Index) noexcept;
template void norm(const Norm<double>&, const double*, double*, Index, Index) noexcept;
template void norm_pull(const Norm<float>&, const float*, const float*, float*, Index, Index,
                        double) noexcept;
template void norm_pull(const Norm<double>&, const double*, const double*, double*, Index, Index,
                        double) noexcept;
template void norm_push(const Norm<float>&, const float*, const float*, float*, Index, Index,
                        double) noexcept;
template void norm_push(const Norm<double>&, const double*, const double*, double*, Index, Index,
                        double) noexcept;

}  // namespace headwater::kernels
