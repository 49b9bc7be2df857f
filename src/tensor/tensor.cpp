#include <algorithm>
#include <cstring>
#include <limits>

#include <fmt/format.h>
#include <headwater/error.h>
#include <headwater/tensor.h>

#include "tensor/pool.h"

namespace headwater {

std::string_view name_of(DType dtype) {
  return dtype == DType::Float32 ? "float32" : "float64";
}

std::size_t bytes_of(DType dtype) {
  return dtype == DType::Float32 ? sizeof(float) : sizeof(double);
}

double epsilon_of(DType dtype) {
  return dtype == DType::Float32 ? std::numeric_limits<float>::epsilon()
                                 : std::numeric_limits<double>::epsilon();
}

DType dtype_from_name(std::string_view name) {
  if (name == "float32") return DType::Float32;
  if (name == "float64") return DType::Float64;
  throw InputError(fmt::format("--dtype: expected float32 or float64, found '{}'", name));
}

Index Shape::elements() const {
  Index product = 1;
  for (const Index d : dims_)
    if (d < 0 || __builtin_mul_overflow(product, d, &product))
      throw InternalError(fmt::format("shape {}: expected lengths whose product fits 63 bits", str()));
  return product;
}

Shape Shape::with_front(Index length) const {
  std::vector<Index> dims(dims_);
  dims.insert(dims.begin(), length);
  return Shape(std::move(dims));
}

Shape Shape::without_front() const {
  if (dims_.empty()) throw InternalError("shape []: expected at least one axis");
  return Shape(std::vector<Index>(dims_.begin() + 1, dims_.end()));
}

Shape Shape::with_back(Index length) const {
  if (dims_.empty()) throw InternalError("shape []: expected at least one axis");
  std::vector<Index> dims(dims_);
  dims.back() = length;
  return Shape(std::move(dims));
}

std::string Shape::str() const {
  return fmt::format("[{}]", fmt::join(dims_, ", "));
}

struct Tensor::Buffer {
  explicit Buffer(std::size_t bytes) : data(pool::take(bytes, capacity)) {}
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { pool::give(data, capacity); }

  std::size_t capacity = 0;
  std::byte* data;
};

Tensor::Tensor(Shape shape, DType dtype) : shape_(std::move(shape)), dtype_(dtype), size_(shape_.elements()) {
  Index bytes = 0;
  if (__builtin_mul_overflow(size_, static_cast<Index>(bytes_of(dtype)), &bytes))
    throw InternalError(fmt::format("tensor {}: expected a size in bytes that fits 63 bits", shape_.str()));
  buffer_ = std::make_shared<Buffer>(static_cast<std::size_t>(bytes));
}

Tensor Tensor::zeros(Shape shape, DType dtype) {
  Tensor t(std::move(shape), dtype);
  std::memset(t.buffer_->data, 0, t.bytes());
  return t;
}

Tensor Tensor::full(Shape shape, DType dtype, double value) {
  Tensor t(std::move(shape), dtype);
  dispatch(dtype, [&]<class R>(R) { std::fill_n(t.data<R>(), t.size(), static_cast<R>(value)); });
  return t;
}

Tensor Tensor::of(Shape shape, std::span<const double> values, DType dtype) {
  Tensor t(std::move(shape), dtype);
  if (t.size() != static_cast<Index>(values.size()))
    throw InternalError(
        fmt::format("tensor {}: expected {} values, found {}", t.shape().str(), t.size(), values.size()));
  dispatch(dtype, [&]<class R>(R) {
    std::transform(values.begin(), values.end(), t.data<R>(), [](double v) { return static_cast<R>(v); });
  });
  return t;
}

template <class R>
const R* Tensor::data() const {
  if (dtype_ != dtype_of<R>() || buffer_ == nullptr)
    throw InternalError(fmt::format("tensor {}: expected {}, found {}", shape_.str(), name_of(dtype_of<R>()),
                                    buffer_ == nullptr ? "an empty tensor" : name_of(dtype_)));
  return reinterpret_cast<const R*>(buffer_->data) + offset_;
}

template <class R>
R* Tensor::data() {
  return const_cast<R*>(std::as_const(*this).data<R>());
}

template const float* Tensor::data() const;
template const double* Tensor::data() const;
template float* Tensor::data();
template double* Tensor::data();

double Tensor::at(Index flat) const {
  if (flat < 0 || flat >= size_)
    throw InternalError(
        fmt::format("tensor {}: expected an element below {}, found {}", shape_.str(), size_, flat));
  return dispatch(dtype_, [&](auto r) { return static_cast<double>(data<decltype(r)>()[flat]); });
}

std::vector<double> Tensor::to_doubles() const {
  return dispatch(dtype_, [&](auto r) {
    const auto all = values<decltype(r)>();
    return std::vector<double>(all.begin(), all.end());
  });
}

Tensor Tensor::reshaped(Shape shape) const {
  if (shape.elements() != size_)
    throw InternalError(fmt::format("reshape: expected {} elements, found {}", size_, shape.str()));
  Tensor t(*this);
  t.shape_ = std::move(shape);
  return t;
}

Tensor Tensor::rows(Index begin, Index count) const {
  if (rank() == 0 || begin < 0 || count < 0 || begin > dim(0) - count)
    throw InternalError(fmt::format("rows of {}: expected a range inside, found [{}, {})", shape_.str(),
                                    begin, begin + count));
  Tensor t(*this);
  const Index row = dim(0) == 0 ? 0 : size_ / dim(0);
  t.shape_ = shape_.without_front().with_front(count);
  t.offset_ += begin * row;
  t.size_ = count * row;
  return t;
}

Tensor Tensor::clone() const {
  Tensor t(shape_, dtype_);
  dispatch(dtype_, [&]<class R>(R) { std::copy_n(data<R>(), size_, t.data<R>()); });
  return t;
}

Tensor Tensor::to(DType dtype) const {
  if (dtype == dtype_) return *this;
  Tensor t(shape_, dtype);
  dispatch(dtype_, [&](auto from) {
    dispatch(dtype, [&](auto target) {
      using To = decltype(target);
      const auto all = values<decltype(from)>();
      std::transform(all.begin(), all.end(), t.data<To>(), [](auto v) { return static_cast<To>(v); });
    });
  });
  return t;
}

}  // namespace headwater
