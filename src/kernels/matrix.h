// Matrix: one weight matrix W [rows, cols], laid out for the GEMM in use.
//
// It is the only resident copy of the weight: packed once from the checkpoint's tensor, which may then go.
// Immutable and thread-safe. Multiplying from either side uses the same packed copy and costs the same.
// A row of a result depends on the same row of x alone, bit for bit.
#pragma once

#include <headwater/tensor.h>

namespace headwater {

class Matrix {
 public:
  // `weight` is row-major [rows, cols]; throws InternalError otherwise.
  explicit Matrix(const Tensor& weight);

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  DType dtype() const { return packed_.dtype(); }
  // Another matrix, made at each call: W itself, |W|, max(W, 0) or min(W, 0), in this type.
  enum class Part { Whole, Absolute, Positive, Negative };
  Matrix part(Part part, DType dtype) const;
  Tensor dense() const;  // W, row-major; unpacked at each call, for methods that need its entries
  // `to` [cols] = row `row` of W: an embedding table that is also a head needs no second copy.
  template <class R>
  void copy_row(Index row, R* to) const;
  std::size_t bytes() const { return packed_.bytes(); }

  // y = x Wᵀ (+ bias): x [m, cols] → y [m, rows]. The forward of a Linear whose weight is [out, in].
  template <class R>
  void times_transposed(const R* x, const R* bias, R* y, Index m) const;
  // y = x W: x [m, rows] → y [m, cols]. The pull of the same Linear.
  template <class R>
  void times(const R* x, R* y, Index m) const;

 private:
  template <class R>
  Tensor pack_rows(const R* x, Index m) const;

  // Panels of panel_rows_ rows: element (r, c) stands at
  // packed_[(r div panel_rows_) · panel_stride_ + c · panel_rows_ + r mod panel_rows_].
  Index rows_, cols_, panel_rows_, panel_stride_;
  int isa_;  // kernels::Isa the layout was made for
  Tensor packed_;
};

}  // namespace headwater
