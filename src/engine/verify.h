// Verification: the same request in float32 and in float64, side by side.
#pragma once

#include <headwater/report.h>

namespace headwater {

// Adds to every result of `report` the check "float32 against float64", which is the largest difference
// between its scores and those of `exact`, as a share of the largest score there, and a note with the rank
// correlation. Both must hold the same methods in the same order, before any view was applied.
void compare_with_exact(Report& report, const Report& exact);

}  // namespace headwater
