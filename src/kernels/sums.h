// Sums over a row in a fixed order: lane by lane, then over the lanes, wherever the row lies in memory.
#pragma once

#include "kernels/blocks.h"

namespace headwater::kernels {

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

}  // namespace headwater::kernels
