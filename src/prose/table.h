// Tables in columns for a terminal.
#pragma once

#include <string>
#include <vector>

namespace headwater {

struct Table {
  std::vector<std::string> header;  // may be empty
  std::vector<std::vector<std::string>> rows;
  std::string right;  // one letter per column: 'r' aligns it to the right; missing letters mean left

  void add_number_column(std::string title);  // adds a last column, aligned to the right
  std::string str() const;
};

// Breaks lines longer than `width` columns between words. The continuation is indented like the last column
// of the line (after the last two spaces of its first half), or like the line itself. Other lines do not
// change.
std::string folded(const std::string& text, std::size_t width);

// A share in percent with one decimal; a dash for NaN.
std::string percent_cell(double share);

}  // namespace headwater
