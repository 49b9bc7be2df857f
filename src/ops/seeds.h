// Running a kernel once per stacked seed; see Note [Stacked seeds] in tape/op.h.
#pragma once

#include "tape/op.h"

namespace headwater {

// A tensor like `in`, filled by kernel(in_s, out_s) for each of the seeds s that `in` carries for `value`.
template <class Kernel>
Tensor each_seed(const Tensor& in, const Tensor& value, const Kernel& kernel) {
  const Index seeds = stack_of(in, value);
  Tensor out(in.shape(), in.dtype());
  dispatch(in.dtype(), [&](auto r) {
    using R = decltype(r);
    for (Index s = 0; s < seeds; ++s)
      kernel(in.data<R>() + s * value.size(), out.data<R>() + s * value.size());
  });
  return out;
}

}  // namespace headwater
