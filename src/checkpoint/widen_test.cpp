#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "checkpoint/safetensors.h"

namespace headwater {
namespace {

// The tensor's bytes, shifted by one so that they are unaligned.
template <class T>
class Unaligned {
 public:
  explicit Unaligned(const std::vector<T>& values) : buffer_(values.size() * sizeof(T) + 1) {
    if (!values.empty()) std::memcpy(buffer_.data() + 1, values.data(), values.size() * sizeof(T));
  }
  StoredTensor tensor(StoredType type, const Shape& shape) const {
    return {type, shape, std::span(buffer_).subspan(1)};
  }

 private:
  std::vector<std::byte> buffer_;
};

std::vector<std::uint16_t> all_16_bit() {
  std::vector<std::uint16_t> values(65536);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint16_t>(i);
  return values;
}

// IEEE 754 binary16, by its definition.
double value_of_half(unsigned bits) {
  const double sign = (bits & 0x8000U) != 0 ? -1.0 : 1.0;
  const int exponent = static_cast<int>((bits >> 10U) & 31U);
  const int mantissa = static_cast<int>(bits & 1023U);
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  if (exponent == 31) return mantissa == 0 ? sign * INFINITY : NAN;
  return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

// bfloat16: 8 bits of exponent, 7 of mantissa.
double value_of_bfloat(unsigned bits) {
  const double sign = (bits & 0x8000U) != 0 ? -1.0 : 1.0;
  const int exponent = static_cast<int>((bits >> 7U) & 255U);
  const int mantissa = static_cast<int>(bits & 127U);
  if (exponent == 0) return sign * std::ldexp(mantissa, -133);
  if (exponent == 255) return mantissa == 0 ? sign * INFINITY : NAN;
  return sign * std::ldexp(128 + mantissa, exponent - 134);
}

void expect_all(StoredType type, double (*value_of)(unsigned)) {
  const Unaligned<std::uint16_t> bits(all_16_bit());
  for (const DType dtype : {DType::Float32, DType::Float64}) {
    const Tensor wide = widen(bits.tensor(type, {256, 256}), dtype, "w");
    ASSERT_EQ(wide.shape(), (Shape{256, 256}));
    ASSERT_EQ(wide.dtype(), dtype);
    for (unsigned i = 0; i < 65536; ++i) {
      const double expected = value_of(i);
      const double found = wide.at(static_cast<Index>(i));
      if (std::isnan(expected))
        ASSERT_TRUE(std::isnan(found)) << i;
      else
        ASSERT_EQ(std::bit_cast<std::uint64_t>(found), std::bit_cast<std::uint64_t>(expected)) << i;
    }
  }
}

TEST(Widen, EveryHalfIsExact) {
  expect_all(StoredType::F16, value_of_half);
}

TEST(Widen, EveryBfloatIsExact) {
  expect_all(StoredType::BF16, value_of_bfloat);
}

TEST(Widen, FloatsAndDoubles) {
  const std::vector<float> floats{1.5F, -0.0F, std::numeric_limits<float>::denorm_min(), INFINITY};
  const Tensor f32 = widen(Unaligned(floats).tensor(StoredType::F32, {4}), DType::Float64, "w");
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(f32.at(static_cast<Index>(i)), floats[i]);
  EXPECT_TRUE(std::signbit(f32.at(1)));

  const std::vector<double> doubles{0.1, -1e-300, 1e300};
  const Unaligned<double> stored(doubles);
  const Tensor f64 = widen(stored.tensor(StoredType::F64, {3}), DType::Float64, "w");
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(f64.at(static_cast<Index>(i)), doubles[i]);
  const Tensor narrow = widen(stored.tensor(StoredType::F64, {3}), DType::Float32, "w");
  EXPECT_EQ(narrow.at(0), 0.1F);
  EXPECT_EQ(narrow.at(1), 0.0);
  EXPECT_TRUE(std::isinf(narrow.at(2)));
}

TEST(Widen, BigTensorsOverThreads) {
  std::vector<std::uint16_t> values(1U << 20U);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint16_t>(i % 31744);
  const Tensor wide = widen(Unaligned(values).tensor(StoredType::F16, {1 << 20}), DType::Float32, "w");
  for (std::size_t i = 0; i < values.size(); i += 97)
    ASSERT_EQ(wide.at(static_cast<Index>(i)), value_of_half(values[i])) << i;
}

TEST(Widen, ScalarsAndEmptyTensors) {
  EXPECT_EQ(widen(Unaligned<float>({2.0F}).tensor(StoredType::F32, {}), DType::Float32, "w").at(0), 2.0);
  const Tensor empty = widen(Unaligned<float>({}).tensor(StoredType::F32, {3, 0}), DType::Float32, "w");
  EXPECT_EQ(empty.shape(), (Shape{3, 0}));
  EXPECT_EQ(empty.size(), 0);
}

TEST(Widen, RefusesIntegers) {
  try {
    widen(Unaligned<std::int64_t>({2}).tensor(StoredType::I64, {1}), DType::Float32, "f: tensor w");
    FAIL() << "accepted";
  } catch (const FormatError& e) {
    EXPECT_STREQ(e.what(), "f: tensor w: expected a floating type (F64, F32, F16 or BF16), found I64");
  }
}

}  // namespace
}  // namespace headwater
