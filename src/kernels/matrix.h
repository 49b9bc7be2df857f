// Matrix: one weight matrix W [rows, cols], laid out for the GEMM in use.
//
// It is the only resident copy of the weight: built once from the checkpoint, widened to the working
// type while it is laid out. Immutable and thread-safe. Multiplying from either side costs the same.
#pragma once

#include <headwater/tensor.h>

namespace headwater {

class Matrix {
 public:
  // `weight` is row-major [rows, cols]; the buffer is shared, not copied, where the layout allows it.
  explicit Matrix(Tensor weight);

  Index rows() const;
  Index cols() const;
  DType dtype() const;
  Tensor dense() const;  // W, row-major; for methods that need its entries
  std::size_t bytes() const;

  // y = x Wᵀ (+ bias): x [m, cols] → y [m, rows]. The forward of a Linear whose weight is [out, in].
  template <class R>
  void times_transposed(const R* x, const R* bias, R* y, Index m) const;
  // y = x W: x [m, rows] → y [m, cols]. The pull of the same Linear.
  template <class R>
  void times(const R* x, R* y, Index m) const;

 private:
  Tensor weight_;
};

}  // namespace headwater
