// y = x Wᵀ and y = x W from one packed copy of W.
//
// W is cut into panels of tile_cols rows; a panel stores, column after column, the tile_cols entries of
// that column. For x Wᵀ a panel is exactly the packed factor b of tile.h (k = column of W). For x W the
// product is computed as (Wᵀ xᵀ)ᵀ: now W is the broadcast factor a, whose k (a row of W) steps by one
// inside a panel and jumps by a panel stride after tile_cols steps, and x is packed instead; the finished
// tiles are written transposed.
//
// By hand because a row must not depend on its neighbours, and with oneDNN 2.6.3 it does: 704 of the 768
// numbers of a row of x Wᵀ (k = 768) change their last bits between m = 1 and m = 128. Its plain sgemm has
// no float64 either. GFLOP/s by CPU time on one core of an AMD EPYC (AVX2, peak 103) that had other work,
// best of 100 calls, median of three alternating runs, m = 128, ours / oneDNN sgemm / PyTorch 2.15:
//   x Wᵀ  768×768 89 / 88 / 82    3072×768 83 / 80 / 68    768×3072 86 / 80 / 81   (PyTorch adds a bias)
//   x W   768×768 88 / 86 / 81    3072×768 82 / 81 / 80    768×3072 84 / 44 / 77
// It is slower than both for a single row (x Wᵀ 6 against 8 and 8, x W 4 against 10 and 8), where lanes
// that other rows would fill stay idle, and than PyTorch for x W in float64 (32 against 38).
#include "kernels/matrix.h"

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/parallel.h"
#include "kernels/product.h"

namespace headwater {
namespace {

using namespace kernels;

constexpr double least_flops_per_thread = 5e5;
constexpr Index cache_line = 64;
constexpr Index most_cols = 96;  // of W in one block of x W: with k_block rows it fits a second-level cache

// A panel takes an odd number of cache lines: the short pieces of many panels that x W reads together then
// spread over all sets of the cache instead of meeting in a few.
template <class R, class I>
constexpr Index stride_of_panel(Index cols) {
  const Index line = cache_line / static_cast<Index>(sizeof(R));
  const Index lines = round_up(cols * tile_cols<R, I>, line) / line;
  return (lines | 1) * line;
}

Index grain_of(Index m, Index n, Index k) {
  const double flops = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  return 1 + static_cast<Index>(least_flops_per_thread / std::max(1.0, flops));
}

}  // namespace

Matrix::Matrix(const Tensor& weight) : isa_(static_cast<int>(isa())) {
  if (weight.rank() != 2)
    throw InternalError(fmt::format("matrix: expected [rows, cols], found {}", weight.shape().str()));
  rows_ = weight.dim(0);
  cols_ = weight.dim(1);
  dispatch(weight.dtype(), [&]<class R>(R) {
    on_isa(isa(), [&](auto tag) INLINED {
      panel_rows_ = tile_cols<R, decltype(tag)>;
      panel_stride_ = stride_of_panel<R, decltype(tag)>(cols_);
    });
    const Index panels = (rows_ + panel_rows_ - 1) / panel_rows_;
    packed_ = Tensor({panels * panel_stride_}, weight.dtype());
    const R* from = weight.data<R>();
    R* to = packed_.data<R>();
    parallel_for(panels, 1 + 65536 / (panel_stride_ + 1), [&](Index begin, Index end) {
      on_isa(static_cast<Isa>(isa_), [&](auto tag) INLINED {
        for (Index p = begin; p < end; ++p)
          pack_panel<R, decltype(tag)>(from + p * panel_rows_ * cols_, 1, cols_, cols_,
                                       std::min(panel_rows_, rows_ - p * panel_rows_),
                                       to + p * panel_stride_);
      });
    });
  });
}

template <class R>
void Matrix::copy_row(Index row, R* to) const {
  const R* from = packed_.data<R>() + row / panel_rows_ * panel_stride_ + row % panel_rows_;
  for (Index c = 0; c < cols_; ++c) to[c] = from[c * panel_rows_];
}

Tensor Matrix::dense() const {
  Tensor w({rows_, cols_}, dtype());
  dispatch(dtype(), [&]<class R>(R) {
    R* to = w.data<R>();
    parallel_for(rows_, 1 + 65536 / (cols_ + 1), [&](Index begin, Index end) {
      for (Index row = begin; row < end; ++row) copy_row<R>(row, to + row * cols_);
    });
  });
  return w;
}

Matrix Matrix::part(Part part, DType dtype) const {
  Matrix made(dtype == this->dtype() ? *this : Matrix(dense().to(dtype)));
  if (part == Part::Whole) return made;
  // Zeros that fill up the last panel stay zeros, so the layout does not matter.
  Tensor packed(made.packed_.shape(), dtype);
  dispatch(dtype, [&]<class R>(R) {
    const R* from = std::as_const(made.packed_).template data<R>();
    R* to = packed.data<R>();
    const auto fill = [&](auto of) {
      parallel_for(packed.size(), 65536, [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) to[i] = of(from[i]);
      });
    };
    if (part == Part::Absolute) return fill([](R w) { return w < 0 ? -w : w; });
    if (part == Part::Positive) return fill([](R w) { return w > 0 ? w : 0; });
    fill([](R w) { return w < 0 ? w : 0; });
  });
  made.packed_ = std::move(packed);
  return made;
}

template <class R>
void Matrix::times_transposed(const R* x, const R* bias, R* y, Index m) const {
  if (m <= 0 || rows_ == 0) return;
  const R* w = packed_.data<R>();
  const Tile<R> tile = tile_for<R>(static_cast<Isa>(isa_));
  const Index panels = (rows_ + panel_rows_ - 1) / panel_rows_;
  const auto x_at = [&](Index row, Index k) INLINED {
    return Strided<R>{x + row * cols_ + k, cols_, 1, cols_, 0};
  };
  const auto panel_at = [&](Index panel, Index k, Index)
                            INLINED { return w + panel * panel_stride_ + k * panel_rows_; };
  const auto ahead = [&](const Progress& at) INLINED {
    if (at.next_panel < 0) return;
    fetch_share(panel_at(at.next_panel, at.next_k, 0), std::min(k_block, cols_ - at.next_k) * panel_rows_,
                at.tile, at.tiles);
  };
  parallel_for(panels, grain_of(m, panel_rows_, cols_), [&](Index begin, Index end) {
    on_isa(static_cast<Isa>(isa_), [&](auto tag) INLINED {
      using I = decltype(tag);
      constexpr Index width = tile_cols<R, I>;  // panel_rows_
      const auto write = [&](Index row, Index count, Index panel, const R* sums) INLINED {
        const Index col = panel * width, cols = std::min(width, rows_ - col);
        R* to = y + row * rows_ + col;
        for (Index i = 0; i < count; ++i, sums += width, to += rows_) {
          if (cols < width)
            for (Index j = 0; j < cols; ++j) to[j] = bias == nullptr ? sums[j] : sums[j] + bias[col + j];
          else if (bias == nullptr)
            for (Index j = 0; j < width; ++j) to[j] = sums[j];
          else
            for (Index j = 0; j < width; ++j) to[j] = sums[j] + bias[col + j];
        }
      };
      const Index length = block_length(m, most_rows, I::tile_rows);
      for (Index row = 0; row < m; row += length)
        product<R, I>(tile, row, std::min(length, m - row), begin, end - begin, cols_, x_at, panel_at, ahead,
                      write);
    });
  });
}

template <class R>
void Matrix::times(const R* x, R* y, Index m) const {
  if (m <= 0 || cols_ == 0) return;
  const R* w = packed_.data<R>();
  const Tile<R> tile = tile_for<R>(static_cast<Isa>(isa_));
  const Index width = panel_rows_, panels = (m + width - 1) / width;
  const Tensor packed_x = pack_rows(x, m);
  const R* xt = packed_x.data<R>();
  const Index length = std::min(most_cols, block_length(cols_, (cols_ + 7) / 8, 12));
  const auto w_at = [&](Index col, Index k) INLINED {
    return Strided<R>{w + k / width * panel_stride_ + col * width, width, 1, width, panel_stride_};
  };
  const auto xt_at = [&](Index panel, Index k, Index) INLINED { return xt + (panel * rows_ + k) * width; };
  const auto write = [&](Index col, Index count, Index panel, const R* sums) INLINED {
    const Index row = panel * width, here = std::min(width, m - row);
    for (Index j = 0; j < here; ++j)
      for (Index i = 0; i < count; ++i) y[(row + j) * cols_ + col + i] = sums[i * width + j];
  };
  parallel_for((cols_ + length - 1) / length, grain_of(m, length, rows_), [&](Index begin, Index end) {
    on_isa(static_cast<Isa>(isa_), [&](auto tag) INLINED {
      for (Index b = begin; b < end; ++b) {
        const Index col = b * length, cols = std::min(length, cols_ - col);
        // The same columns in the panels of W that the next block of k needs.
        const auto ahead = [&](const Progress& at) INLINED {
          const Index first = (at.k + k_block) / width, last = (rows_ + width - 1) / width;
          const Index pieces = std::max<Index>(0, std::min(k_block / width, last - first));
          const Index part = at.member * at.tiles + at.tile, parts = at.members * at.tiles;
          for (Index i = pieces * part / parts; i < pieces * (part + 1) / parts; ++i)
            fetch_share(w + (first + i) * panel_stride_ + col * width, cols * width, 0, 1);
        };
        product<R, decltype(tag)>(tile, col, cols, 0, panels, rows_, w_at, xt_at, ahead, write);
      }
    });
  });
}

// xᵀ in panels of panel_rows_ rows of x: [panels][rows_][panel_rows_].
template <class R>
Tensor Matrix::pack_rows(const R* x, Index m) const {
  const Index width = panel_rows_, panels = (m + width - 1) / width;
  Tensor packed({panels * rows_ * width}, dtype());
  R* to = packed.data<R>();
  parallel_for(panels, 1 + 65536 / (rows_ * width + 1), [&](Index begin, Index end) {
    on_isa(static_cast<Isa>(isa_), [&](auto tag) INLINED {
      for (Index p = begin; p < end; ++p)
        pack_panel<R, decltype(tag)>(x + p * width * rows_, 1, rows_, rows_, std::min(width, m - p * width),
                                     to + p * rows_ * width);
    });
  });
  return packed;
}

template void Matrix::copy_row(Index, float*) const;
template void Matrix::copy_row(Index, double*) const;
template void Matrix::times_transposed(const float*, const float*, float*, Index) const;
template void Matrix::times_transposed(const double*, const double*, double*, Index) const;
template void Matrix::times(const float*, float*, Index) const;
template void Matrix::times(const double*, double*, Index) const;

}  // namespace headwater
