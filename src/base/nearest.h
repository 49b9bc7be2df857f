// How far apart two names are, and "Did you mean …?" for a mistyped one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace headwater {

// Damerau's distance in its restricted form: insertions, deletions, substitutions and swaps of neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b);

// "; did you mean x?", naming the closest of `known` (edit distance, swapped neighbours count once), or
// nothing when none is close enough to be a slip of the finger.
std::string suggestion(std::string_view typed, std::span<const std::string> known);

}  // namespace headwater
