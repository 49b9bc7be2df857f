// Text on a terminal: the columns it takes, and what may safely be printed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headwater {

// The columns of valid UTF-8: wide characters take two, combining marks none, a joined emoji two in all.
int text_width(std::string_view text);

// Replaces control characters by visible pictures (␛, ␊) and bidirectional overrides by U+FFFD, so that a
// text cannot steer the terminal; invalid UTF-8 becomes U+FFFD.
std::string terminal_safe(std::string_view text);

// Makes line breaks, tabs and other control characters visible (\n, \t, \x1b), so that no text can move the
// cursor or break a row.
std::string visible(const std::string& text);

// Cuts a text to `width` columns, with … if something was cut, or pads it with spaces.
std::string fitted(std::string_view text, int width);

// Cuts a text between characters into parts of at most `width` columns each.
std::vector<std::string> cut_to_columns(std::string_view text, int width);

// The letters of a text that has only wide ones (Chinese, Japanese, Korean, emoji), which are stacked upright
// where other texts are turned. Empty for other texts.
std::vector<std::string> upright_letters(std::string_view text);

// Puts words on lines of at most `width` columns: the first line after `first` spaces, the others after
// `rest`. Every line ends in a line break, and runs of spaces within a line stay. A word longer than a line
// is cut.
struct ParagraphFormat {
  int first = 0, rest = 0, width = 80;
};
std::string paragraph(std::string_view text, const ParagraphFormat& format);

}  // namespace headwater
