// Columns for a terminal.
#pragma once

#include <string>
#include <vector>

namespace headwater {

struct Table {
  std::vector<std::string> header;  // may be empty
  std::vector<std::vector<std::string>> rows;
  std::string right;  // one letter per column: 'r' aligns it to the right; missing letters mean left

  void add_number_column(std::string title);  // behind the others, aligned to the right
  std::string str() const;
};

// Lines longer than `width` columns are broken between words; what follows is indented as the last column of
// the line is (after the last two spaces of its first half), or as the line itself. Other lines are kept.
std::string folded(const std::string& text, std::size_t width);

// Line breaks, tabs and other control characters made visible (\n, \t, \x1b), so that no text can move the
// cursor or break a row.
std::string visible(const std::string& text);

// A share in percent with one decimal; a dash for what is no number.
std::string percent_cell(double share);

}  // namespace headwater
