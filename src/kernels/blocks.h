// Walking over n numbers register by register; the last, shorter piece is padded, so that every number
// goes through the same instructions. Rows and long runs are shared out among threads.
#pragma once

#include <algorithm>

#include "base/parallel.h"
#include "kernels/simd.h"

namespace headwater::kernels {

// body(i, count): elements i … i + count, count = a whole register except at the end.
template <class R, class I, class Body>
INLINED inline void each_block(Index n, const Body& body) {
  constexpr Index width = lanes<R, I>;
  Index i = 0;
  for (; i + width <= n; i += width) body(i, width);
  if (i < n) body(i, n - i);
}

template <class V, class R>
INLINED inline void load_part(V& v, const R* from, Index count, R padding = R{0}) {
  constexpr Index width = static_cast<Index>(sizeof(V) / sizeof(R));
  if (count == width) return load(v, from);
  v = V{} + padding;
  for (Index l = 0; l < count; ++l) v[l] = from[l];
}

template <class V, class R>
INLINED inline void store_part(const V& v, R* to, Index count) {
  constexpr Index width = static_cast<Index>(sizeof(V) / sizeof(R));
  if (count == width) return store(v, to);
  for (Index l = 0; l < count; ++l) to[l] = v[l];
}

// Sums over a row in a fixed order: lane by lane, then over the lanes, wherever the row lies in memory.

// Σ of the lanes, in order.
template <class R, class I>
INLINED inline R total(const Vec<R, I>& lane_sums) {
  R sum = 0;
  for (Index l = 0; l < lanes<R, I>; ++l) sum += lane_sums[l];
  return sum;
}

// Σ of term(i, count): a register of terms from element i on, of which `count` lanes count; the others
// must come out 0.
template <class R, class I, class Term>
INLINED inline R sum_over(Index n, const Term& term) {
  Vec<R, I> sums{};
  each_block<R, I>(n, [&](Index i, Index count) INLINED {
    Vec<R, I> v{};
    term(i, count, v);
    sums += v;
  });
  return total<R, I>(sums);
}

// row(tag, r) for every row of n numbers, with at least `least` numbers for a thread.
template <class Row>
void each_row(Index rows, Index n, Index least, const Row& row) {
  const Isa which = isa();
  parallel_for(rows, 1 + least / std::max<Index>(1, n), [&](Index begin, Index end) {
    on_isa(which, [&](auto tag) INLINED {
      for (Index r = begin; r < end; ++r) row(tag, r);
    });
  });
}

// y[i] = body(tag, i, count, v) on registers, with at least `least` numbers for a thread. y may be one of the
// operands.
template <class R, class Body>
void each_element(Index n, Index least, R* y, const Body& body) {
  const Isa which = isa();
  parallel_for(n, least, [&](Index begin, Index end) {
    on_isa(which, [&](auto tag) INLINED {
      using I = decltype(tag);
      each_block<R, I>(end - begin, [&](Index i, Index count) INLINED {
        Vec<R, I> v;
        body(tag, begin + i, count, v);
        store_part(v, y + begin + i, count);
      });
    });
  });
}

}  // namespace headwater::kernels
