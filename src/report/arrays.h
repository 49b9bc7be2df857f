// The arrays of a report, as bytes with a type and a shape: what npz and safetensors both hold.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <headwater/report.h>

namespace headwater {

enum class ArrayType { Float32, Float64, Int32, Int64, Bool };

struct Array {
  std::string name;
  ArrayType type;
  Shape shape;
  std::string bytes;  // little-endian, row-major
};

// One per result under its name (name_of; a repeated one gets _2, _3 …), its details as <name>.<detail>, the
// tokens it measured as <name>.measured where it left some out, then token_ids, offsets [T, 2], special_mask
// and word_ids for texts, logits of the explained row.
std::vector<Array> arrays_of(const Report& report);

}  // namespace headwater
