// "Did you mean …?" for a mistyped name.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace headwater {

// "; did you mean x?", naming the closest of `known` (edit distance, swapped neighbours count once), or
// nothing when none is close enough to be a slip of the finger.
std::string suggestion(std::string_view typed, std::span<const std::string> known);

}  // namespace headwater
