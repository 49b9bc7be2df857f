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

namespace detail {

template <class V, std::size_t... L>
INLINED inline void interleave(const V& a, const V& b, V& low, V& high, std::index_sequence<L...>) {
  constexpr int half = sizeof...(L) / 2, width = sizeof...(L);
  low = __builtin_shufflevector(a, b,
                                (L % 2 == 0 ? static_cast<int>(L) / 2 : static_cast<int>(L) / 2 + width)...);
  high = __builtin_shufflevector(
      a, b, (half + (L % 2 == 0 ? static_cast<int>(L) / 2 : static_cast<int>(L) / 2 + width))...);
}

// out[i · out_row + j] = b[j · col + i] for a square of one register's width. Interleaving rows j and
// j + width/2 moves one bit of j into i; after log2(width) rounds rows and columns have changed places.
template <class R, class I>
INLINED inline void transpose_square(const R* b, Index col, R* out, Index out_row) {
  constexpr Index width = lanes<R, I>;
  Vec<R, I> rows[width], next[width];
  for (Index j = 0; j < width; ++j) load(rows[j], b + j * col);
  for (Index round = 1; round < width; round *= 2) {
    for (Index j = 0; j < width / 2; ++j)
      interleave(rows[j], rows[j + width / 2], next[2 * j], next[2 * j + 1],
                 std::make_index_sequence<width>{});
    for (Index j = 0; j < width; ++j) rows[j] = next[j];
  }
  for (Index i = 0; i < width; ++i) store(rows[i], out + i * out_row);
}

}  // namespace detail

// out [k][tile_cols] = the columns of b (element (k, j) at b[k · row + j · col]); missing columns become 0.
template <class R, class I>
INLINED inline void pack_panel(const R* b, Index row, Index col, Index k, Index cols, R* out) {
  constexpr Index width = tile_cols<R, I>, square = lanes<R, I>;
  Index done = 0;  // steps of k that are packed already
  if (cols == width && col == 1) {
    for (; done < k; ++done) std::memcpy(out + done * width, b + done * row, sizeof(R) * width);
  } else if (cols == width && row == 1) {
    for (; done + square <= k; done += square)
      for (Index j = 0; j < width; j += square)
        detail::transpose_square<R, I>(b + j * col + done, col, out + done * width + j, width);
  } else if (cols < width) {
    std::memset(out, 0, sizeof(R) * static_cast<std::size_t>(k * width));
  }
  for (Index j = 0; j < cols; ++j)
    for (Index i = done; i < k; ++i) out[i * width + j] = b[i * row + j * col];
}

// Where the loop of `product` stands, for fetching ahead of it: tile `tile` of `tiles` in panel `panel`, the
// `member` of `members` in its group, and the block of b that comes after this one (panel −1: none).
struct Progress {
  Index tile, tiles, member, members, k;
  Index next_panel, next_k;
};

// Asks for the `part`-th of `parts` equal shares of n numbers.
template <class R>
INLINED inline void fetch_share(const R* from, Index n, Index part, Index parts) {
  constexpr Index line = 64 / static_cast<Index>(sizeof(R));
  const Index lines = (n + line - 1) / line;
  for (Index l = lines * part / parts; l < lines * (part + 1) / parts; ++l)
    __builtin_prefetch(from + l * line, 0, 2);
}

// For rows [row0, row0 + rows) and panels [panel0, panel0 + panels):
//   tile                  the tile of I
//   a_at(row, k)          → Strided: where the rows of a start
//   b_at(panel, k, count) → packed b of that panel for k … k + count
//   ahead(progress)       may prefetch
//   write(row, count, panel, sums) takes the finished tile [count, tile_cols].
template <class R, class I, class A, class B, class Ahead, class Write>
INLINED inline void product(Tile<R> tile, Index row0, Index rows, Index panel0, Index panels, Index k,
                            const A& a_at, const B& b_at, const Ahead& ahead, const Write& write) {
  constexpr Index height = I::tile_rows, width = tile_cols<R, I>;
  alignas(64) R sums[panels_in_group * (most_rows + height) * width];
  const Index tiles = (rows + height - 1) / height;
  for (Index group = 0; group < panels; group += panels_in_group) {
    const Index members = std::min(panels_in_group, panels - group);
    if (k == 0) std::memset(sums, 0, sizeof(sums));
    for (Index k0 = 0; k0 < k; k0 += k_block) {
      const Index count = std::min(k_block, k - k0);
      for (Index p = 0; p < members; ++p) {
        const R* b = b_at(panel0 + group + p, k0, count);
        Progress at{0, tiles, p, members, k0, panel0 + group + p + 1, k0};
        if (p + 1 == members) {
          at.next_panel = panel0 + group;
          at.next_k = k0 + k_block;
          if (at.next_k >= k) {
            at.next_panel = group + members < panels ? panel0 + group + members : -1;
            at.next_k = 0;
          }
        }
        for (; at.tile < tiles; ++at.tile) {
          ahead(at);
          tile(a_at(row0 + at.tile * height, k0), b, count, k0 == 0,
               sums + (p * tiles + at.tile) * height * width, std::min(height, rows - at.tile * height));
        }
      }
    }
    for (Index p = 0; p < members; ++p)
      for (Index t = 0; t < tiles; ++t)
        write(row0 + t * height, std::min(height, rows - t * height), panel0 + group + p,
              sums + (p * tiles + t) * height * width);
  }
}

}  // namespace headwater::kernels
