// The arrays of a report, as bytes with a type and a shape. npz and safetensors both hold these.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <headwater/report.h>

namespace headwater {

enum class ArrayType { Float32, Float64, Int32, Int64, Bool };

// The names of a type in the formats, and its bytes.
struct ArrayTypeNames {
  std::string_view npy, safetensors;
  std::size_t width;
};
// In the order of ArrayType.
inline constexpr ArrayTypeNames array_types[] = {
    {"<f4", "F32", 4}, {"<f8", "F64", 8}, {"<i4", "I32", 4}, {"<i8", "I64", 8}, {"|b1", "BOOL", 1}};
constexpr const ArrayTypeNames& names_of(ArrayType type) {
  return array_types[static_cast<std::size_t>(type)];
}

struct Array {
  std::string name;
  ArrayType type;
  Shape shape;
  std::string bytes;  // little-endian, row-major
};

// One array per result under its name (name_of; a repeated one gets _2, _3 …), its details as
// <name>.<detail>, for a map the row the output was read from as <name>.answer, and the tokens it measured as
// <name>.measured if it left some out. Then token_ids, offsets [T, 2], special_mask, word_ids and
// sequence_ids for texts, and the logits of the explained row.
std::vector<Array> arrays_of(const Report& report);

}  // namespace headwater
