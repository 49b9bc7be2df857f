// Walking over n numbers register by register; the last, shorter piece is padded, so that every number
// goes through the same instructions.
#pragma once

#include <algorithm>

#include "kernels/simd.h"

namespace headwater::kernels {

// body(i, count): elements i … i + count, count = a whole register except at the end.
template <class R, class I, class Body>
[[gnu::always_inline]] inline void each_block(Index n, const Body& body) {
  constexpr Index width = lanes<R, I>;
  Index i = 0;
  for (; i + width <= n; i += width) body(i, width);
  if (i < n) body(i, n - i);
}

template <class V, class R>
[[gnu::always_inline]] inline void load_part(V& v, const R* from, Index count, R padding) {
  constexpr Index width = static_cast<Index>(sizeof(V) / sizeof(R));
  if (count == width) return load(v, from);
  v = V{} + padding;
  for (Index l = 0; l < count; ++l) v[l] = from[l];
}

template <class V, class R>
[[gnu::always_inline]] inline void store_part(const V& v, R* to, Index count) {
  constexpr Index width = static_cast<Index>(sizeof(V) / sizeof(R));
  if (count == width) return store(v, to);
  for (Index l = 0; l < count; ++l) to[l] = v[l];
}

}  // namespace headwater::kernels
