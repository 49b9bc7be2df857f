// C = alpha op(A) op(B) + beta C by register tiles (tile.h), for one product or many of the same shape.
//
// The work is cut into units (task, block of rows of C, panel of columns of C); threads take runs of
// units. The cut depends on the shape alone, and no sum crosses a unit.
#include "base/parallel.h"
#include "kernels/blocks.h"
#include "kernels/kernels.h"
#include "kernels/product.h"

namespace headwater::kernels {
namespace {

constexpr double least_flops_per_thread = 5e5;  // a fork costs some microseconds

template <class R>
struct Layout {
  Index a_row, a_step, b_row, b_col;
  explicit Layout(const Gemm& g)
      : a_row(g.transpose_a ? 1 : g.lda),
        a_step(g.transpose_a ? g.lda : 1),
        b_row(g.transpose_b ? 1 : g.ldb),
        b_col(g.transpose_b ? g.ldb : 1) {}
};

template <class R, class I>
INLINED inline void write_part(const Gemm& g, const R* sums, R* to, Index cols) {
  Vec<R, I> sum, old;
  load(sum, sums);
  sum *= static_cast<R>(g.alpha);
  if (g.beta != 0) {  // else c may hold anything, even NaN
    load_part(old, static_cast<const R*>(to), cols);
    sum += static_cast<R>(g.beta) * old;
  }
  store_part(sum, to, cols);
}

template <class R, class I>
INLINED inline void write_tile(const Gemm& g, R* c, Index row, Index count, Index col, const R* sums) {
  R* to = c + row * g.ldc + col;
  for (Index i = 0; i < count; ++i, sums += tile_cols<R, I>, to += g.ldc)
    each_block<R, I>(std::min(tile_cols<R, I>, g.n - col),
                     [&](Index j, Index part) INLINED { write_part<R, I>(g, sums + j, to + j, part); });
}

template <class R, class I>
INLINED inline void block(Tile<R> tile, const Gemm& g, const GemmTask<R>& task, Index row0, Index rows,
                          Index panel0, Index panels) {
  constexpr Index width = tile_cols<R, I>;
  const Layout<R> at(g);
  alignas(64) R packed[k_block * width];
  product<R, I>(
      tile, row0, rows, panel0, panels, g.k,
      [&](Index row, Index k) INLINED {
        return Strided<R>{task.a + row * at.a_row + k * at.a_step, at.a_row, at.a_step, g.k, 0};
      },
      [&](Index panel, Index k, Index count) INLINED {
        const Index col = panel * width;
        pack_panel<R, I>(task.b + k * at.b_row + col * at.b_col, at.b_row, at.b_col, count,
                         std::min(width, g.n - col), packed);
        return static_cast<const R*>(packed);
      },
      [](const Progress&) INLINED {},
      [&](Index row, Index count, Index panel, const R* sums)
          INLINED { write_tile<R, I>(g, task.c, row, count, panel * width, sums); });
}

template <class R, class I>
INLINED inline void units(Tile<R> tile, const Gemm& g, const GemmTask<R>* tasks, Index blocks, Index length,
                          Index panels, Index begin, Index end) {
  while (begin < end) {  // a run of panels of one block of one task
    const Index panel = begin % panels, row = begin / panels % blocks * length;
    const Index run = std::min(end - begin, panels - panel);
    block<R, I>(tile, g, tasks[begin / panels / blocks], row, std::min(length, g.m - row), panel, run);
    begin += run;
  }
}

template <class R>
void gemm_tasks(Gemm g, const GemmTask<R>* tasks, Index count) noexcept {
  if (g.lda == 0) g.lda = g.transpose_a ? g.m : g.k;
  if (g.ldb == 0) g.ldb = g.transpose_b ? g.k : g.n;
  if (g.ldc == 0) g.ldc = g.n;
  if (g.m <= 0 || g.n <= 0 || count <= 0) return;
  const Isa which = isa();
  const Tile<R> tile = tile_for<R>(which);
  Index height = 1, width = 1;
  on_isa(which, [&](auto tag) INLINED {
    height = decltype(tag)::tile_rows;
    width = tile_cols<R, decltype(tag)>;
  });
  const Index length = block_length(g.m, most_rows, height);
  const Index blocks = (g.m + length - 1) / length;
  const Index panels = (g.n + width - 1) / width;
  const double flops = 2.0 * static_cast<double>(std::min(length, g.m)) * static_cast<double>(width) *
                       static_cast<double>(std::max<Index>(1, g.k));
  const Index grain = 1 + static_cast<Index>(least_flops_per_thread / flops);
  parallel_for(count * blocks * panels, grain, [&](Index begin, Index end) {
    on_isa(which, [&](auto tag) INLINED {
      units<R, decltype(tag)>(tile, g, tasks, blocks, length, panels, begin, end);
    });
  });
}

}  // namespace

template <class R>
void gemm(const Gemm& shape, const R* a, const R* b, R* c) noexcept {
  const GemmTask<R> task{a, b, c};
  gemm_tasks<R>(shape, &task, 1);
}

template <class R>
void gemm_batch(const Gemm& shape, const std::vector<GemmTask<R>>& tasks) noexcept {
  gemm_tasks<R>(shape, tasks.data(), static_cast<Index>(tasks.size()));
}

template void gemm(const Gemm&, const float*, const float*, float*) noexcept;
template void gemm(const Gemm&, const double*, const double*, double*) noexcept;
template void gemm_batch(const Gemm&, const std::vector<GemmTask<float>>&) noexcept;
template void gemm_batch(const Gemm&, const std::vector<GemmTask<double>>&) noexcept;

}  // namespace headwater::kernels
