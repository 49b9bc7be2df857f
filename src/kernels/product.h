// One block of a matrix product, the way a single thread computes it: panels of b (tile_cols wide) times a
// run of rows of a, k in blocks of k_block, sums kept in a scratch block until they are complete.
//
// Loop order: group of panels → block of k → panel → rows. A panel's block of b stays in the first-level
// cache while the rows of a pass by, and the rows' block of a stays in the second-level cache while the
// panels of the group pass by, so that a weight is read from memory exactly once.
#pragma once

#include "kernels/tile.h"

namespace headwater::kernels {

constexpr Index most_rows = 192;  // rows of a in one block
constexpr Index panels_in_group = 8;

constexpr Index round_up(Index n, Index multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

// Cuts n rows into equal blocks of at most `most`, each a multiple of `step` except the last.
constexpr Index block_length(Index n, Index most, Index step) {
  const Index blocks = std::max<Index>(1, (n + most - 1) / most);
  return round_up(std::max<Index>(1, (n + blocks - 1) / blocks), step);
}

// out [k][tile_cols] = the columns of b (element (k, j) at b[k · row + j · col]); missing columns become 0.
template <class R, class I>
[[gnu::always_inline]] inline void pack_panel(const R* b, Index row, Index col, Index k, Index cols, R* out) {
  constexpr Index width = tile_cols<R, I>;
  if (cols == width && col == 1) {
    for (Index i = 0; i < k; ++i) std::memcpy(out + i * width, b + i * row, sizeof(R) * width);
    return;
  }
  if (cols < width) std::memset(out, 0, sizeof(R) * static_cast<std::size_t>(k * width));
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < k; ++i) out[i * width + j] = b[i * row + j * col];
}

// For rows [row0, row0 + rows) and panels [panel0, panel0 + panels):
//   a_at(row, k)          → Strided: where the rows of a start
//   b_at(panel, k, count) → packed b of that panel for k … k + count
//   write(row, count, panel, sums) takes the finished tile [count, tile_cols].
template <class R, class I, class A, class B, class Write>
[[gnu::always_inline]] inline void product(Index row0, Index rows, Index panel0, Index panels, Index k,
                                           const A& a_at, const B& b_at, const Write& write) {
  constexpr Index height = I::tile_rows, width = tile_cols<R, I>;
  alignas(64) R sums[panels_in_group * (most_rows + height) * width];
  const Index tiles = (rows + height - 1) / height;
  for (Index group = 0; group < panels; group += panels_in_group) {
    const Index members = std::min(panels_in_group, panels - group);
    std::memset(sums, 0, sizeof(R) * static_cast<std::size_t>(members * tiles * height * width));
    for (Index k0 = 0; k0 < k; k0 += k_block) {
      const Index count = std::min(k_block, k - k0);
      for (Index p = 0; p < members; ++p) {
        const R* b = b_at(panel0 + group + p, k0, count);
        for (Index t = 0; t < tiles; ++t)
          tile<R, I>(a_at(row0 + t * height, k0), b, count, sums + (p * tiles + t) * height * width,
                     std::min(height, rows - t * height));
      }
    }
    for (Index p = 0; p < members; ++p)
      for (Index t = 0; t < tiles; ++t)
        write(row0 + t * height, std::min(height, rows - t * height), panel0 + group + p,
              sums + (p * tiles + t) * height * width);
  }
}

}  // namespace headwater::kernels
