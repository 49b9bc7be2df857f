// A comparison as a table for the terminal, or as JSON.
#pragma once

#include <string>

#include "comparison/compare.h"

namespace headwater {

// The `rows` arrays that differ most; everything that is in one of the two alone, or a text that differs, is
// named.
std::string comparison_text(const Comparison& comparison, std::size_t rows);
std::string comparison_json(const Comparison& comparison);

}  // namespace headwater
