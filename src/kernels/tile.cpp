// One copy of the inner loop for each instruction set and type.
#include "kernels/tile.h"

namespace headwater::kernels {
namespace {

template <class R>
auto on_any(const Strided<R>& a, const R* b, Index k, bool fresh, R* sums, Index rows) {
  return [=, &a](auto tag) INLINED {
    using I = decltype(tag);
    detail::tile_of_height<R, I, I::tile_rows>(a, b, k, fresh, sums, rows);
  };
}

template <class R>
void tile_baseline(const Strided<R>& a, const R* b, Index k, bool fresh, R* sums, Index rows) {
  on_any(a, b, k, fresh, sums, rows)(Baseline{});
}

#if defined(__x86_64__)
template <class R>
void tile_avx2(const Strided<R>& a, const R* b, Index k, bool fresh, R* sums, Index rows) {
  run_avx2(on_any(a, b, k, fresh, sums, rows));
}

template <class R>
void tile_avx512(const Strided<R>& a, const R* b, Index k, bool fresh, R* sums, Index rows) {
  run_avx512(on_any(a, b, k, fresh, sums, rows));
}
#endif

}  // namespace

template <class R>
Tile<R> tile_for([[maybe_unused]] Isa isa) noexcept {
#if defined(__x86_64__)
  if (isa == Isa::Avx512) return tile_avx512<R>;
  if (isa == Isa::Avx2) return tile_avx2<R>;
#endif
  return tile_baseline<R>;
}

template Tile<float> tile_for(Isa) noexcept;
template Tile<double> tile_for(Isa) noexcept;

}  // namespace headwater::kernels
