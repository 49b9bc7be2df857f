// Tables in columns for a terminal.
#pragma once

#include <string>
#include <vector>

#include <headwater/formats.h>

namespace headwater {

struct Table {
  std::vector<std::string> header;  // may be empty
  std::vector<std::vector<std::string>> rows;
  std::string right = {};  // one letter per column: 'r' aligns it to the right; missing letters mean left
  std::size_t gap = 2;     // spaces between columns
  // Colours of cells: shares from −1 to 1, NaN for none.
  std::vector<std::vector<double>> shares = {};
  TerminalFormat::Colour colour = TerminalFormat::Colour::None;

  std::string str() const;
};

// Breaks lines longer than `width` columns between words. The continuation is indented like the last column
// of the line (after the last two spaces of its first half), or like the line itself. Other lines do not
// change.
std::string folded(const std::string& text, std::size_t width);

// A share in percent with one decimal; a dash for NaN.
std::string percent_cell(double share);

}  // namespace headwater
