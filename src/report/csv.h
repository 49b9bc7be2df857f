// Fields of CSV (RFC 4180).
#pragma once

#include <string>

namespace headwater {

// Quoted when it holds a comma, a quote or a line break.
std::string csv_field(const std::string& text);
// The shortest that reads back to the same value; nothing for what is no number.
std::string csv_number(double value);

}  // namespace headwater
