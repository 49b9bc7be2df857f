// Differences through a block, vector by vector.
//
//   norm     with m = mean(q) (0 for an RMSNorm) and c = q − m,
//              σ'² = mean((t + c)²) + eps            from the vector itself: σ² + … may cancel
//              1/σ' − 1/σ = −mean(c ⊙ (c + 2t)) / (σ'σ (σ' + σ))
//              d = γ ⊙ (c / σ' + t (1/σ' − 1/σ))
//   cosine   with s = ‖x + d‖, e = d / s + x (1/s − 1/‖x‖), 1/s − 1/‖x‖ = −(2 x·d + d·d) / (s ‖x‖ (s + ‖x‖)),
//              distance = ½ e·e
//
// The sums over parts keep a tile of rows × two registers, so that a loaded part serves several rows; the
// activation follows while they are in the first-level cache.
#include "kernels/shifts.h"

#include <cmath>
#include <utility>

#include "kernels/activate.h"

namespace headwater::kernels {
namespace {

constexpr int tile_height = 4;

// body(constant) for 0 … N − 1: unrolled in the source, so that arrays indexed by it stay in registers.
template <std::size_t... X, class Body>
INLINED inline void unrolled(std::index_sequence<X...>, const Body& body) {
  (body(std::integral_constant<Index, static_cast<Index>(X)>{}), ...);
}

// A tile of Rows × Cols registers; only `count` numbers of its last column of registers are there.
template <class R, class I, int Rows, int Cols>
struct Registers {
  using V = Vec<R, I>;
  V at[Rows * Cols];

  // body(register, its row, where it starts in its row, how many of its numbers are there)
  template <class Body>
  INLINED void each(Index count, const Body& body) {
    unrolled(std::make_index_sequence<Rows * Cols>{}, [&](auto x) INLINED {
      constexpr Index c = x % Cols;
      body(at[x], Index{x / Cols}, c * lanes<R, I>, c + 1 < Cols ? lanes<R, I> : count);
    });
  }

  // −= Σ_h p[row, h] k[h, :], k a column of [parts, n] with rows `stride` apart
  INLINED void subtract_parts(const R* p, const R* k, Index count, Index parts, Index stride) {
    for (Index h = 0; h < parts; ++h, k += stride) {
      V part[Cols];
      unrolled(std::make_index_sequence<Cols>{}, [&](auto c) INLINED {
        load_part(part[c], k + c * lanes<R, I>, c + 1 < Cols ? lanes<R, I> : count);
      });
      unrolled(std::make_index_sequence<Rows * Cols>{},
               [&](auto x) INLINED { at[x] -= p[x / Cols * parts + h] * part[x % Cols]; });
    }
  }
};

// Calls body(tile of registers, row, column, count) for tiles that cover the rows and columns: two registers
// wide, then one, the last of which may be a part.
template <class R, class I, class Body>
INLINED inline void each_tile(Index rows, Index begin, Index end, const Body& body) {
  constexpr Index width = lanes<R, I>;
  Index row = 0;
  for (; row + tile_height <= rows; row += tile_height) {
    Index at = begin;
    for (; at + 2 * width <= end; at += 2 * width) body(Registers<R, I, tile_height, 2>{}, row, at, width);
    for (; at < end; at += width) body(Registers<R, I, tile_height, 1>{}, row, at, std::min(width, end - at));
  }
  for (; row < rows; ++row) {
    Index at = begin;
    for (; at + 2 * width <= end; at += 2 * width) body(Registers<R, I, 1, 2>{}, row, at, width);
    for (; at < end; at += width) body(Registers<R, I, 1, 1>{}, row, at, std::min(width, end - at));
  }
}

// g of rows row … row + rows (at most tile_height) and columns begin … end, to `to`, whose rows are `stride`
// apart.
template <class R, class I>
INLINED inline void hidden_tile(const HiddenRows<R>& map, const HiddenWhere<R>& at, Index row, Index rows,
                                Index begin, Index end, R* to, Index stride) {
  using V = Vec<R, I>;
  each_tile<R, I>(rows, begin, end, [&](auto g, Index r0, Index column, Index count) INLINED {
    const Index first = row + r0;
    g.each(count, [&](V& v, Index r, Index c, Index wide)
                      INLINED { load_part(v, map.e + (first + r) * at.n + column + c, wide); });
    g.subtract_parts(at.p + first * at.parts, map.k + column, count, at.parts, map.stride);
    g.each(count, [&](V& v, Index r, Index c, Index wide) INLINED {
      V shift;
      load_part(shift, map.c + column + c, wide);
      v = v * at.s[first + r] + shift;
      store_part(v, to + (r0 + r) * stride + column + c - begin, wide);
    });
  });
}

// d[i] = f(g[i]) (⊙ up[i]) − base[i]; up and base may be null.
template <class R, class I, Activation F>
INLINED inline void hidden_end(const R* g, const R* up, const R* base, R* d, Index n) {
  each_block<R, I>(n, [&](Index i, Index count) INLINED {
    Vec<R, I> v, other;
    load_part(v, g + i, count);
    value<R, I, F>(v);
    if (up != nullptr) {
      load_part(other, up + i, count);
      v *= other;
    }
    if (base != nullptr) {
      load_part(other, base + i, count);
      v -= other;
    }
    store_part(v, d + i, count);
  });
}

template <class R, class I, bool Centred>
INLINED inline void norm_row(const NormRows<R>& at, Index row, const R* q, R* d, R* inverse, Index n) {
  using V = Vec<R, I>;
  const R* t = at.t + row * n;
  q += row * n;
  R mean = 0;
  if constexpr (Centred)
    mean = sum_over<R, I>(n, [&](Index i, Index count, V& v) INLINED { load_part(v, q + i, count); }) /
           static_cast<R>(n);
  V squares{}, changes{};
  each_block<R, I>(n, [&](Index i, Index count) INLINED {
    V v, c;
    load_part(v, t + i, count);
    load_part(c, q + i, count, mean);
    c -= mean;
    changes += c * (c + (v + v));
    v += c;
    squares += v * v;
  });
  const R variance = total<R, I>(squares) / static_cast<R>(n) + static_cast<R>(at.eps);
  const R now = 1 / std::sqrt(variance), before = at.inverse[row], both = now * before;
  if (inverse != nullptr) inverse[row] = now;
  if (d == nullptr) return;
  const R change = -(total<R, I>(changes) / static_cast<R>(n) * both) * (both / (now + before));
  each_block<R, I>(n, [&](Index i, Index count) INLINED {
    V v, c, gamma;
    load_part(v, t + i, count);
    load_part(c, q + i, count, mean);
    load_part(gamma, at.gamma + i, count);
    c = gamma * ((c - mean) * now + v * change);
    store_part(c, d + row * n + i, count);
  });
}

template <class R, class I>
INLINED inline R cosine_row(const R* x, R length, const R* d, Index n) {
  using V = Vec<R, I>;
  V squares{}, changes{};
  each_block<R, I>(n, [&](Index i, Index count) INLINED {
    V v, c;
    load_part(v, x + i, count);
    load_part(c, d + i, count);
    changes += c * (c + (v + v));
    v += c;
    squares += v * v;
  });
  const R now = std::sqrt(total<R, I>(squares));
  if (now == 0 || length == 0) return now == length ? R{0} : R{1};
  const R inverse = 1 / now, change = -(total<R, I>(changes) * inverse / length) / (now + length);
  return R{0.5} * sum_over<R, I>(n, [&](Index i, Index count, V& v) INLINED {
           V c;
           load_part(v, x + i, count);
           load_part(c, d + i, count);
           v = c * inverse + v * change;
           v *= v;
         });
}

// Asks for rows × columns of x, which the hardware would not foresee: a strip's pieces of a row are short.
template <int Write, class R>
void fetch(const R* x, Index rows, Index columns, Index n) {
  constexpr Index line = 64 / static_cast<Index>(sizeof(R));
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < columns; c += line) __builtin_prefetch(x + r * n + c, Write, 2);
}

}  // namespace

template <class R>
void remove_parts(const R* p, const R* u, R* q, Index rows, Index parts, Index n) noexcept {
  on_isa(isa(), [&](auto tag) INLINED {
    using I = decltype(tag);
    each_tile<R, I>(rows, 0, n, [&](auto sums, Index row, Index column, Index count) INLINED {
      using V = Vec<R, I>;
      sums.each(count, [](V& v, Index, Index, Index) INLINED { v = V{}; });
      sums.subtract_parts(p + row * parts, u + column, count, parts, n);
      sums.each(count, [&](V& v, Index r, Index c, Index wide)
                           INLINED { store_part(v, q + (row + r) * n + column + c, wide); });
    });
  });
}

template <class R>
void norm_shift(const NormRows<R>& at, const R* q, R* d, R* inverse, Index rows, Index n) noexcept {
  on_isa(isa(), [&](auto tag) INLINED {
    for (Index row = 0; row < rows; ++row) {
      if (at.centred)
        norm_row<R, decltype(tag), true>(at, row, q, d, inverse, n);
      else
        norm_row<R, decltype(tag), false>(at, row, q, d, inverse, n);
    }
  });
}

// Strips of rows and columns that stay in the first-level cache between the sum and the activation.
template <class R>
void hidden_shift(Activation f, const HiddenRows<R>& up, const HiddenRows<R>* gate, const HiddenWhere<R>& at,
                  const R* base, R* d) noexcept {
  constexpr Index strip = 256;
  alignas(64) R g[tile_height * strip], u[tile_height * strip];
  for (Index column = at.begin; column < at.end; column += strip)
    for (Index row = 0; row < at.rows; row += tile_height) {
      const Index rows = std::min<Index>(tile_height, at.rows - row), end = std::min(at.end, column + strip);
      const Index corner = row * at.n + column, next = std::min<Index>(tile_height, at.rows - row - rows);
      fetch<1>(d + corner, rows, end - column, at.n);
      if (base != nullptr) fetch<0>(base + corner, rows, end - column, at.n);
      fetch<0>(up.e + corner + rows * at.n, next, end - column, at.n);
      on_isa(isa(), [&](auto tag) INLINED {
        hidden_tile<R, decltype(tag)>(gate == nullptr ? up : *gate, at, row, rows, column, end, g, strip);
      });
      if (gate != nullptr)
        on_isa(isa(), [&](auto tag) INLINED {
          hidden_tile<R, decltype(tag)>(up, at, row, rows, column, end, u, strip);
        });
      with_activation(f, [&](auto chosen) {
        on_isa(isa(), [&](auto tag) INLINED {
          for (Index r = 0; r < rows; ++r) {
            const Index where = (row + r) * at.n + column;
            hidden_end<R, decltype(tag), decltype(chosen)::value>(
                g + r * strip, gate == nullptr ? nullptr : u + r * strip,
                base == nullptr ? nullptr : base + where, d + where, end - column);
          }
        });
      });
    }
}

template <class R>
void cosine_shift(const R* x, const R* length, const R* d, R* distance, Index rows, Index n) noexcept {
  on_isa(isa(), [&](auto tag) INLINED {
    for (Index r = 0; r < rows; ++r)
      distance[r] = cosine_row<R, decltype(tag)>(x + r * n, length[r], d + r * n, n);
  });
}

template void remove_parts(const float*, const float*, float*, Index, Index, Index) noexcept;
template void remove_parts(const double*, const double*, double*, Index, Index, Index) noexcept;
template void norm_shift(const NormRows<float>&, const float*, float*, float*, Index, Index) noexcept;
template void norm_shift(const NormRows<double>&, const double*, double*, double*, Index, Index) noexcept;
template void hidden_shift(Activation, const HiddenRows<float>&, const HiddenRows<float>*,
                           const HiddenWhere<float>&, const float*, float*) noexcept;
template void hidden_shift(Activation, const HiddenRows<double>&, const HiddenRows<double>*,
                           const HiddenWhere<double>&, const double*, double*) noexcept;
template void cosine_shift(const float*, const float*, const float*, float*, Index, Index) noexcept;
template void cosine_shift(const double*, const double*, const double*, double*, Index, Index) noexcept;

}  // namespace headwater::kernels
