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
// activation follows while the tile is still in registers.
#include "kernels/shifts.h"

#include <cmath>

#include "kernels/activate.h"
#include "kernels/sums.h"

namespace headwater::kernels {
namespace {

constexpr int tile_height = 4;

// acc[r][c] −= Σ_h p[r, h] k[h, at + c·width …]; `count` numbers of the last register count.
template <class R, class I, int Rows, int Cols>
[[gnu::always_inline]] inline void subtract_parts(const R* p, const R* k, Index at, Index count, Index parts,
                                                  Index n, Vec<R, I> (&acc)[Rows][Cols]) {
  constexpr Index width = lanes<R, I>;
  for (Index h = 0; h < parts; ++h) {
    Vec<R, I> part[Cols];
    for (int c = 0; c < Cols; ++c)
      load_part(part[c], k + h * n + at + c * width, c + 1 < Cols ? width : count, R{0});
    for (int r = 0; r < Rows; ++r)
      for (int c = 0; c < Cols; ++c) acc[r][c] -= p[r * parts + h] * part[c];
  }
}

// Calls body(rows, cols as constants, row, column, count) for tiles that cover [rows, n]: two registers wide,
// then one, the last of which may be a part. Columns go in blocks, so that the parts of a block stay in the
// first-level cache while all rows pass by.
template <class R, class I, class Body>
[[gnu::always_inline]] inline void each_tile(Index rows, Index n, const Body& body) {
  constexpr Index width = lanes<R, I>, block = 32 * width;
  using One = std::integral_constant<int, 1>;
  using Two = std::integral_constant<int, 2>;
  for (Index from = 0; from < n; from += block) {
    const Index to = std::min(n, from + block);
    const auto strip = [&](auto height, Index row) __attribute__((always_inline)) {
      Index at = from;
      for (; at + 2 * width <= to; at += 2 * width) body(height, Two{}, row, at, width);
      for (; at < to; at += width) body(height, One{}, row, at, std::min(width, to - at));
    };
    Index row = 0;
    for (; row + tile_height <= rows; row += tile_height)
      strip(std::integral_constant<int, tile_height>{}, row);
    for (; row < rows; ++row) strip(One{}, row);
  }
}

template <class R, class I, int Rows, int Cols>
[[gnu::always_inline]] inline void hidden_tile(const HiddenRows<R>& map, const R* p, const R* s, Index row,
                                               Index at, Index count, Index parts, Index n,
                                               Vec<R, I> (&g)[Rows][Cols]) {
  constexpr Index width = lanes<R, I>;
  const auto wide = [&](int c) __attribute__((always_inline)) {
    return c + 1 < Cols ? width : count;
  };
  for (int r = 0; r < Rows; ++r)
    for (int c = 0; c < Cols; ++c) load_part(g[r][c], map.e + (row + r) * n + at + c * width, wide(c), R{0});
  subtract_parts<R, I, Rows, Cols>(p + row * parts, map.k, at, count, parts, n, g);
  for (int c = 0; c < Cols; ++c) {
    Vec<R, I> shift;
    load_part(shift, map.c + at + c * width, wide(c), R{0});
    for (int r = 0; r < Rows; ++r) g[r][c] = g[r][c] * s[row + r] + shift;
  }
}

template <class R, class I, Activation F>
[[gnu::always_inline]] inline void hidden_rows(const HiddenRows<R>& up, const HiddenRows<R>* gated,
                                               const R* p, const R* s, const R* base, R* d, Index rows,
                                               Index parts, Index n) {
  constexpr Index width = lanes<R, I>;
  each_tile<R, I>(
      rows,
      n, [&](auto height, auto columns, Index row, Index at, Index count) __attribute__((always_inline)) {
        constexpr int Rows = decltype(height)::value, Cols = decltype(columns)::value;
        Vec<R, I> g[Rows][Cols], u[Rows][Cols];
        hidden_tile<R, I, Rows, Cols>(gated != nullptr ? *gated : up, p, s, row, at, count, parts, n, g);
        if (gated != nullptr) hidden_tile<R, I, Rows, Cols>(up, p, s, row, at, count, parts, n, u);
        for (int r = 0; r < Rows; ++r)
          for (int c = 0; c < Cols; ++c) {
            const Index where = (row + r) * n + at + c * width, wide = c + 1 < Cols ? width : count;
            value<R, I, F>(g[r][c]);
            if (gated != nullptr) g[r][c] *= u[r][c];
            Vec<R, I> old{};
            if (base != nullptr) load_part(old, base + where, wide, R{0});
            g[r][c] -= old;
            store_part(g[r][c], d + where, wide);
          }
      });
}

template <class R, class I, bool Centred>
[[gnu::always_inline]] inline void norm_row(const NormRows<R>& at, Index row, const R* q, R* d, R* inverse,
                                            Index n) {
  using V = Vec<R, I>;
  const R* t = at.t + row * n;
  q += row * n;
  R mean = 0;
  if constexpr (Centred)
    mean = sum_over<R, I>(
               n, [&](Index i, Index count, V & v)
                      __attribute__((always_inline)) { load_part(v, q + i, count, R{0}); }) /
           static_cast<R>(n);
  V squares{}, changes{};
  each_block<R, I>(
      n, [&](Index i, Index count) __attribute__((always_inline)) {
        V v, c;
        load_part(v, t + i, count, R{0});
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
  each_block<R, I>(
      n, [&](Index i, Index count) __attribute__((always_inline)) {
        V v, c, gamma;
        load_part(v, t + i, count, R{0});
        load_part(c, q + i, count, mean);
        load_part(gamma, at.gamma + i, count, R{0});
        c = gamma * ((c - mean) * now + v * change);
        store_part(c, d + row * n + i, count);
      });
}

template <class R, class I>
[[gnu::always_inline]] inline R cosine_row(const R* x, R length, const R* d, Index n) {
  using V = Vec<R, I>;
  V squares{}, changes{};
  each_block<R, I>(
      n, [&](Index i, Index count) __attribute__((always_inline)) {
        V v, c;
        load_part(v, x + i, count, R{0});
        load_part(c, d + i, count, R{0});
        changes += c * (c + (v + v));
        v += c;
        squares += v * v;
      });
  const R now = std::sqrt(total<R, I>(squares));
  if (now == 0 || length == 0) return now == length ? R{0} : R{1};
  const R inverse = 1 / now, change = -(total<R, I>(changes) * inverse / length) / (now + length);
  return R{0.5} * sum_over<R, I>(
                      n, [&](Index i, Index count, V & v) __attribute__((always_inline)) {
                        V c;
                        load_part(v, x + i, count, R{0});
                        load_part(c, d + i, count, R{0});
                        v = c * inverse + v * change;
                        v *= v;
                      });
}

}  // namespace

template <class R>
void remove_parts(const R* p, const R* u, R* q, Index rows, Index parts, Index n) noexcept {
  on_isa(
      isa(), [&](auto tag) __attribute__((always_inline)) {
        using I = decltype(tag);
        each_tile<R, I>(
            rows, n,
            [&](auto height, auto columns, Index row, Index at, Index count) __attribute__((always_inline)) {
              constexpr int Rows = decltype(height)::value, Cols = decltype(columns)::value;
              Vec<R, I> sums[Rows][Cols] = {};
              subtract_parts<R, I, Rows, Cols>(p + row * parts, u, at, count, parts, n, sums);
              for (int r = 0; r < Rows; ++r)
                for (int c = 0; c < Cols; ++c)
                  store_part(sums[r][c], q + (row + r) * n + at + c * lanes<R, I>,
                             c + 1 < Cols ? lanes<R, I> : count);
            });
      });
}

template <class R>
void norm_shift(const NormRows<R>& at, const R* q, R* d, R* inverse, Index rows, Index n) noexcept {
  on_isa(
      isa(), [&](auto tag) __attribute__((always_inline)) {
        for (Index row = 0; row < rows; ++row) {
          if (at.centred)
            norm_row<R, decltype(tag), true>(at, row, q, d, inverse, n);
          else
            norm_row<R, decltype(tag), false>(at, row, q, d, inverse, n);
        }
      });
}

template <class R>
void hidden_shift(Activation f, const HiddenRows<R>& up, const HiddenRows<R>* gate, const R* p, const R* s,
                  const R* base, R* d, Index rows, Index parts, Index n) noexcept {
  with_activation(f, [&](auto chosen) {
    on_isa(
        isa(), [&](auto tag) __attribute__((always_inline)) {
          hidden_rows<R, decltype(tag), decltype(chosen)::value>(up, gate, p, s, base, d, rows, parts, n);
        });
  });
}

template <class R>
void cosine_shift(const R* x, const R* length, const R* d, R* distance, Index rows, Index n) noexcept {
  on_isa(
      isa(), [&](auto tag) __attribute__((always_inline)) {
        for (Index r = 0; r < rows; ++r)
          distance[r] = cosine_row<R, decltype(tag)>(x + r * n, length[r], d + r * n, n);
      });
}

template void remove_parts(const float*, const float*, float*, Index, Index, Index) noexcept;
template void remove_parts(const double*, const double*, double*, Index, Index, Index) noexcept;
template void norm_shift(const NormRows<float>&, const float*, float*, float*, Index, Index) noexcept;
template void norm_shift(const NormRows<double>&, const double*, double*, double*, Index, Index) noexcept;
template void hidden_shift(Activation, const HiddenRows<float>&, const HiddenRows<float>*, const float*,
                           const float*, const float*, float*, Index, Index, Index) noexcept;
template void hidden_shift(Activation, const HiddenRows<double>&, const HiddenRows<double>*, const double*,
                           const double*, const double*, double*, Index, Index, Index) noexcept;
template void cosine_shift(const float*, const float*, const float*, float*, Index, Index) noexcept;
template void cosine_shift(const double*, const double*, const double*, double*, Index, Index) noexcept;

}  // namespace headwater::kernels
