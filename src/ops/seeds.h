// Tensors made by kernels; see Note [Stacked seeds] in tape/op.h.
#pragma once

#include "tape/op.h"

namespace headwater {

// A tensor of this shape, filled by fill(its numbers).
template <class Fill>
Tensor computed(Shape shape, DType dtype, const Fill& fill) {
  Tensor y(std::move(shape), dtype);
  dispatch(dtype, [&]<class R>(R) { fill(y.data<R>()); });
  return y;
}

// A tensor like `in`, filled by kernel(in_s, out_s) for each of the seeds s that `in` carries for `value`.
template <class Kernel>
Tensor each_seed(const Tensor& in, const Tensor& value, const Kernel& kernel) {
  const Index seeds = stack_of(in, value);
  return computed(in.shape(), in.dtype(), [&]<class R>(R* out) {
    for (Index s = 0; s < seeds; ++s) kernel(in.data<R>() + s * value.size(), out + s * value.size());
  });
}

}  // namespace headwater
