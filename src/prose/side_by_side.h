// Two or three results in one table on a terminal, so that they can be compared at a glance.
#pragma once

#include <string>

#include <headwater/formats.h>
#include <headwater/report.h>

namespace headwater {

// The words that count most by any of the methods, in the order of the text, with a column for each:
// "good  +1.771 ██████  +1.298 ██████". Empty for pictures, one result, more than three, or no room.
std::string results_side_by_side(const Report& report, const TerminalFormat& format);

}  // namespace headwater
