// Tensor: a contiguous, row-major block of float32 or float64 numbers with a shape.
//
// Copies share the buffer; only the code that made a tensor writes to it, and only before it is shared.
// Buffers come from a pool and go back to it, so that repeated runs do not ask the system for memory.
// Thread-safe to read; the reference count is atomic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <headwater/export.h>

namespace headwater {

using Index = std::int64_t;

enum class DType { Float32, Float64 };

HEADWATER_API std::string_view name_of(DType dtype);
HEADWATER_API std::size_t bytes_of(DType dtype);
HEADWATER_API double epsilon_of(DType dtype);                // the distance from 1 to the next number
HEADWATER_API DType dtype_from_name(std::string_view name);  // "float32" | "float64"; throws InputError

template <class R>
constexpr DType dtype_of() {
  static_assert(std::is_same_v<R, float> || std::is_same_v<R, double>);
  return std::is_same_v<R, float> ? DType::Float32 : DType::Float64;
}

// The lengths of the axes. The number of elements is checked for overflow when a tensor is made.
class HEADWATER_API Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<Index> dims) : dims_(dims) {}
  explicit Shape(std::vector<Index> dims) : dims_(std::move(dims)) {}

  int rank() const { return static_cast<int>(dims_.size()); }
  Index operator[](int axis) const { return dims_[static_cast<std::size_t>(axis)]; }
  Index back() const { return dims_.back(); }
  Index front() const { return dims_.front(); }
  std::span<const Index> dims() const { return dims_; }
  bool operator==(const Shape&) const = default;

  Index elements() const;                // throws InternalError on a negative length or overflow
  Shape with_front(Index length) const;  // [length, ...]
  Shape without_front() const;           // [1:]
  Shape with_back(Index length) const;   // last axis replaced
  std::string str() const;               // "[2, 7, 768]"

 private:
  std::vector<Index> dims_;
};

class HEADWATER_API Tensor {
 public:
  Tensor() = default;                // empty: no shape, no buffer
  Tensor(Shape shape, DType dtype);  // elements are not initialised
  static Tensor zeros(Shape shape, DType dtype);
  static Tensor full(Shape shape, DType dtype, double value);
  static Tensor of(Shape shape, std::span<const double> values, DType dtype = DType::Float64);

  bool empty() const { return buffer_ == nullptr; }
  bool unique() const { return buffer_.use_count() == 1; }  // nobody else shares the buffer
  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  Index dim(int axis) const { return shape_[axis]; }
  Index size() const { return size_; }
  std::size_t bytes() const { return static_cast<std::size_t>(size_) * bytes_of(dtype_); }

  // R must be the type that dtype() says; throws InternalError otherwise.
  template <class R>
  R* data();
  template <class R>
  const R* data() const;
  template <class R>
  std::span<const R> values() const {
    return {data<R>(), static_cast<std::size_t>(size_)};
  }

  double at(Index flat) const;  // one element as double, for tests and small outputs
  std::vector<double> to_doubles() const;

  Tensor reshaped(Shape shape) const;           // shares the buffer
  Tensor rows(Index begin, Index count) const;  // [begin, begin + count) of the first axis, shares
  Tensor clone() const;
  Tensor to(DType dtype) const;  // shares when the type is the same already

 private:
  struct Buffer;

  Shape shape_;
  DType dtype_ = DType::Float32;
  Index size_ = 0;
  Index offset_ = 0;  // elements from the start of the buffer
  std::shared_ptr<Buffer> buffer_;
};

// Calls f with a value of the element type (float{} or double{}), so that a templated kernel is
// chosen once per op:  dispatch(x.dtype(), [&](auto r) { using R = decltype(r); kernel<R>(…); });
template <class F>
decltype(auto) dispatch(DType dtype, F&& f) {
  if (dtype == DType::Float32) return std::forward<F>(f)(float{});
  return std::forward<F>(f)(double{});
}

struct PoolStatistics {
  std::size_t live_bytes, peak_bytes, pooled_bytes;
};
HEADWATER_API PoolStatistics tensor_pool_statistics();
HEADWATER_API void reset_tensor_pool_peak();

}  // namespace headwater
