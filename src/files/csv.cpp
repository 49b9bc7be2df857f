#include "files/csv.h"

#include <cmath>

#include <fmt/format.h>

namespace headwater {

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string csv_number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "";
}

}  // namespace headwater
