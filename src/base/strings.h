// Small things done with texts: cut at a separator; sizes and counts written for a person.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace headwater {

std::vector<std::string> split(const std::string& text, char separator);
bool is_ascii_space(char c);
std::string human_bytes(std::size_t bytes);     // "24.1 MB", powers of 1024
std::string with_thousands(std::size_t value);  // "22,713,216"

// One argument of a POSIX shell, quoted if necessary.
std::string shell_quoted(std::string_view text);

}  // namespace headwater
