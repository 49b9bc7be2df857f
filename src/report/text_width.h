// Text on a terminal: how many columns it takes, and what may safely be printed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headwater {

// Columns of valid UTF-8: wide characters take two, combining marks none, a joined emoji two in all.
int text_width(std::string_view text);

// Control characters become visible pictures (␛, ␊) and bidirectional overrides U+FFFD, so that a text cannot
// steer the terminal; invalid UTF-8 becomes U+FFFD.
std::string terminal_safe(std::string_view text);

// Cut to `width` columns, with … when something was cut; padded with spaces when shorter.
std::string fitted(std::string_view text, int width);

// Parts of at most `width` columns each, cut between characters.
std::vector<std::string> cut_to_columns(std::string_view text, int width);

// The letters of a text that has none but wide ones (Chinese, Japanese, Korean, emoji): those stand upright,
// one below another, where other texts are turned. Empty for others.
std::vector<std::string> upright_letters(std::string_view text);

// Words on lines of at most `width` columns: the first after `first` spaces, the others after `rest`. Every
// line ends in a line break; runs of spaces within a line stay. A word longer than a line is cut.
struct ParagraphFormat {
  int first = 0, rest = 0, width = 80;
};
std::string paragraph(std::string_view text, const ParagraphFormat& format);

}  // namespace headwater
