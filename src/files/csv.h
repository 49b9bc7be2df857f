// Fields of CSV (RFC 4180).
#pragma once

#include <string>

namespace headwater {

// The field, quoted if it holds a comma, a quote or a line break.
std::string csv_field(const std::string& text);
// The shortest decimal that reads back to the same value; empty for NaN and infinities.
std::string csv_number(double value);

}  // namespace headwater
