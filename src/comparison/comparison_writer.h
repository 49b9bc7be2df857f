// A comparison as a document.
#pragma once

#include <cstddef>

#include "comparison/compare.h"
#include "prose/document.h"

namespace headwater {

// The `rows` arrays that differ most; everything that is in one of the two alone, or a text that differs, is
// named.
Document comparison_document(const Comparison& comparison, std::size_t rows);

}  // namespace headwater
