// Text on a terminal: how many columns it takes, and what may safely be printed.
#pragma once

#include <string>
#include <string_view>

namespace headwater {

// Columns of valid UTF-8: wide characters take two, combining marks none, a joined emoji two in all.
int text_width(std::string_view text);

// Control characters become visible pictures (␛, ␊) and bidirectional overrides U+FFFD, so that a text cannot
// steer the terminal; invalid UTF-8 becomes U+FFFD.
std::string terminal_safe(std::string_view text);

// Cut to `width` columns, with … when something was cut; padded with spaces when shorter.
std::string fitted(std::string_view text, int width);

}  // namespace headwater
