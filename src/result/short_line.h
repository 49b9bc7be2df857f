// A report in one line, for runs over many inputs.
#pragma once

#include <cstddef>
#include <string>

#include <headwater/formats.h>
#include <headwater/report.h>

namespace headwater {

// A line such as " 12 not bad at all POSITIVE 98.9 % because of not +3.11; against: bad −1.63": the line of
// the file (0: none), the beginning of the input, and the sentence, cut to `width` columns (0: the sentence
// is not cut).
std::string short_line(const Report& report, std::size_t line, int width);

}  // namespace headwater
