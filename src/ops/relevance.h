// What the relevance forms of several ops share; see Note [Relevance forms] in tape/rules.h.
#pragma once

#include "base/parallel.h"
#include "kernels/kernels.h"
#include "ops/seeds.h"
#include "tape/op.h"

namespace headwater {

inline bool is_relevance(const Rules& rules) {
  return rules.relevance != Rules::Relevance::None;
}

// R / z. Plain: 0 where z = 0, because nothing there could have caused anything. Reference: the public code
// adds `epsilon` to z whatever its sign, and drops R where z = 0.
template <class R>
inline R guarded(R relevance, R z, bool plain, R epsilon) {
  if (z == 0) return 0;
  if (plain) return relevance / z;
  const R shifted = z + epsilon;
  return relevance / (shifted == 0 ? epsilon : shifted);
}
inline constexpr double reference_epsilon = 1e-9;

// relevance [S, …] / z [ … ], guarded; `unit` is what the reference's z is measured in.
inline Tensor ratio(const Tensor& relevance, const Tensor& z, const Rules& rules, double unit = 1) {
  const bool plain = rules.guard == Rules::Guard::Plain;
  return each_seed(relevance, z, [&]<class R>(const R* from, R* to) {
    const R* by = z.data<R>();
    const R epsilon = static_cast<R>(reference_epsilon * unit);
    parallel_for(z.size(), 16384, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) to[i] = guarded(from[i], by[i], plain, epsilon);
    });
  });
}

// m [S, …] ⊙ x [ … ].
inline Tensor times_value(const Tensor& m, const Tensor& x) {
  return each_seed(
      m, x, [&]<class R>(const R* from, R* to) { kernels::multiply(from, x.data<R>(), to, x.size()); });
}

// x · R/x: R, but 0 where x = 0 and, in the reference, less by 1e-9/x: what its copies and selections do.
inline Tensor through_copy(const Tensor& relevance, const Tensor& x, const Rules& rules) {
  return rules.guard == Rules::Guard::Plain ? relevance : times_value(ratio(relevance, x, rules), x);
}

// a + b
inline Tensor sum_of(const Tensor& a, const Tensor& b) {
  return computed(a.shape(), a.dtype(),
                  [&]<class R>(R* y) { kernels::add(a.data<R>(), b.data<R>(), y, a.size()); });
}

// Relevance of the sum y = a + b, to a and b: R a/y and R b/y. With `normalised` (Chefer et al., 2021), each
// branch is scaled so that it gets |Σ R a/y| / (|Σ R a/y| + |Σ R b/y|) of Σ R, the sums over one input.
// a, b [B, …] in the type of `relevance`.
std::vector<Tensor> relevance_of_sum(const Tensor& relevance, const Tensor& a, const Tensor& b,
                                     const Rules& rules, bool normalised);

}  // namespace headwater
