// Widening is exact: BF16 is the upper half of a float, and every F16 is a float:
//   exponent 0:      (-1)^s · m · 2^-24                    (zero and subnormals)
//   exponent 1…30:   (-1)^s · (1 + m/1024) · 2^(e-15)      (bias 15 becomes 127)
//   exponent 31:     infinity or NaN, payload kept
// Only F64 read as float32 rounds. The loops have no branches, so that compilers vectorise them.
#include <bit>
#include <cstring>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/parallel.h"
#include "checkpoint/safetensors.h"

namespace headwater {
namespace {

float float_of_half(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16U;
  const std::uint32_t body = half & 0x7FFFU;
  const std::uint32_t normal = (body << 13U) + (112U << 23U);
  const std::uint32_t special = (body << 13U) | 0x7F800000U;
  // From the integer, not by scaling a subnormal float: right even if the CPU flushes subnormals.
  const auto subnormal =
      std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(body)) * 0x1p-24F);
  const std::uint32_t large = body >= 0x7C00U ? special : normal;
  return std::bit_cast<float>(sign | (body < 0x0400U ? subnormal : large));
}

float float_of_bfloat(std::uint16_t bfloat) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bfloat) << 16U);
}

// Elements [begin, end) of unaligned `from`, each converted by `to_number`.
template <class Stored, class R, class F>
void convert(const std::byte* from, R* to, std::int64_t begin, std::int64_t end, F to_number) {
  for (std::int64_t i = begin; i < end; ++i) {
    Stored stored;
    std::memcpy(&stored, from + static_cast<std::size_t>(i) * sizeof(Stored), sizeof(Stored));
    to[i] = static_cast<R>(to_number(stored));
  }
}

template <class R>
void convert(const StoredTensor& stored, R* to, std::int64_t begin, std::int64_t end) {
  const std::byte* from = stored.bytes.data();
  const auto same = [](auto x) { return x; };
  switch (stored.type) {
    case StoredType::F64:
      return convert<double>(from, to, begin, end, same);
    case StoredType::F32:
      return convert<float>(from, to, begin, end, same);
    case StoredType::F16:
      return convert<std::uint16_t>(from, to, begin, end, float_of_half);
    default:
      return convert<std::uint16_t>(from, to, begin, end, float_of_bfloat);
  }
}

bool is_floating(StoredType type) {
  return type == StoredType::F64 || type == StoredType::F32 || type == StoredType::F16 ||
         type == StoredType::BF16;
}

}  // namespace

Tensor widen(const StoredTensor& stored, DType dtype, const std::string& where) {
  if (!is_floating(stored.type))
    throw FormatError(fmt::format("{}: expected a floating type (F64, F32, F16 or BF16), found {}", where,
                                  name_of(stored.type)));
  Tensor result(stored.shape, dtype);
  if (result.size() == 0) return result;
  dispatch(dtype, [&]<class R>(R) {
    R* to = result.data<R>();
    parallel_for(result.size(), 1 << 16,
                 [&](std::int64_t begin, std::int64_t end) { convert(stored, to, begin, end); });
  });
  return result;
}

}  // namespace headwater
