// The inner loop of every matrix product: a tile of tile_rows × (2 registers) sums that stay in registers
// while k runs.
//
//   acc[i][j] += a(i, k) · b(k, j)      k ascending, one fused multiply-add per term
//
// b is packed: [k][tile_cols], contiguous. a is broadcast one number at a time, so it may have any strides
// and is never packed. An element's sum runs over k in one fixed order whatever the tile's height and
// wherever the tile stands: rows cannot influence each other, bit for bit.
#pragma once

#include <algorithm>
#include <utility>

#include "kernels/simd.h"

namespace headwater::kernels {

constexpr Index k_block = 384;  // a packed block of b is 24 KiB and stays in a first-level cache

template <class R, class I>
constexpr Index tile_cols = 2 * lanes<R, I>;

// a(i, k) = at[i · row + (k mod chunk) · step + (k div chunk) · jump].
template <class R>
struct Strided {
  const R* at;
  Index row, step, chunk, jump;
};

namespace detail {

// Not under UBSan: its checks of every address in twelve unrolled rows take minutes to compile. ASan stays.
template <class R, class I, std::size_t... Row>
INLINED __attribute__((no_sanitize("undefined"))) inline void tile_rows_fixed(const Strided<R>& a, const R* b,
                                                                              Index k, bool fresh, R* sums,
                                                                              std::index_sequence<Row...>) {
  using V = Vec<R, I>;
  constexpr Index width = lanes<R, I>;
  V left[sizeof...(Row)], right[sizeof...(Row)];
  if (fresh)
    ((left[Row] = V{}, right[Row] = V{}), ...);
  else
    ((load(left[Row], sums + static_cast<Index>(Row) * 2 * width),
      load(right[Row], sums + static_cast<Index>(Row) * 2 * width + width)),
     ...);
  // A pointer for every three rows, which the compiler may not derive from each other: with an address for
  // each row it runs out of registers and fetches some anew in every step (x Wᵀ at 512×384×384 on one core of
  // an EPYC whose peak is 117: 104 → 108 GFLOP/s).
  constexpr Index height = sizeof...(Row), pointers = (height + 2) / 3;
  const R* chunk_at = a.at;
  for (Index k0 = 0; k0 < k; k0 += a.chunk, chunk_at += a.jump) {
    const Index steps = std::min(a.chunk, k - k0);
    const R* p[pointers];
    for (Index i = 0; i < pointers; ++i) {
      p[i] = chunk_at + 3 * i * a.row;
      __asm__("" : "+r"(p[i]));
    }
    // The next tile's rows: with many chunks they are many short pieces, which the hardware does not
    // foresee (x W at 128×768×768: about 80 → 87 GFLOP/s on one core of an EPYC).
    (__builtin_prefetch(chunk_at + static_cast<Index>(height + Row) * a.row), ...);
    for (Index s = 0; s < steps; ++s, b += 2 * width) {
      V b0, b1;
      load(b0, b);
      load(b1, b + width);
      ((left[Row] += p[Row / 3][static_cast<Index>(Row % 3) * a.row] * b0,
        right[Row] += p[Row / 3][static_cast<Index>(Row % 3) * a.row] * b1),
       ...);
      for (Index i = 0; i < pointers; ++i) p[i] += a.step;
    }
  }
  ((store(left[Row], sums + static_cast<Index>(Row) * 2 * width),
    store(right[Row], sums + static_cast<Index>(Row) * 2 * width + width)),
   ...);
}

template <class R, class I, int Rows>
INLINED inline void tile_of_height(const Strided<R>& a, const R* b, Index k, bool fresh, R* sums,
                                   Index rows) {
  if (rows == Rows) return tile_rows_fixed<R, I>(a, b, k, fresh, sums, std::make_index_sequence<Rows>{});
  if constexpr (Rows > 1) tile_of_height<R, I, Rows - 1>(a, b, k, fresh, sums, rows);
}

}  // namespace detail

// sums [rows, tile_cols] += a [rows, k] · b [k, tile_cols], 1 ≤ rows ≤ I::tile_rows; `fresh` sums start at 0.
template <class R>
using Tile = void (*)(const Strided<R>& a, const R* b, Index k, bool fresh, R* sums, Index rows);

// The tile compiled for an instruction set. Not inlined: one copy of each height is enough to compile.
template <class R>
Tile<R> tile_for(Isa isa) noexcept;

}  // namespace headwater::kernels
