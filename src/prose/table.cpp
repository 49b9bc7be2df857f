#include "prose/table.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "drawing/colours.h"

namespace headwater {
namespace {

// The number of code points, which most scripts show as columns; continuation bytes do not count.
std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

// `shares` may be empty.
void append_row(std::string& out, const std::vector<std::string>& cells,
                const std::vector<std::size_t>& widths, const Table& table,
                const std::vector<double>& shares) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string padding(widths[i] - columns_of(cells[i]), ' ');
    const bool to_right = i < table.right.size() && table.right[i] == 'r';
    const std::string cell = to_right ? padding + cells[i] : cells[i] + padding;
    if (i > 0) line.append(table.gap, ' ');
    line += i < shares.size() && !std::isnan(shares[i]) ? painted(cell, shares[i], table.colour) : cell;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + "\n";
}

// The column where the text of a line begins: after its indent, and after the gap before its last column.
std::size_t text_begin(const std::string& line, std::size_t width) {
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t gap = line.rfind("  ", width / 2);
  return gap == std::string::npos || gap < indent ? indent : gap + 2;
}

void append_folded(std::string& out, const std::string& line, std::size_t width) {
  const std::size_t begin = text_begin(line, width);
  const std::string margin(columns_of(line.substr(0, begin)), ' ');
  std::string row = line.substr(0, begin);
  for (std::size_t at = begin; at < line.size();) {
    const std::size_t letters = std::min(line.find_first_not_of(' ', at), line.size());
    const std::size_t end = std::min(line.find(' ', letters), line.size());
    if (row.size() > begin && columns_of(row) + columns_of(line.substr(at, end - at)) > width) {
      out += row + "\n";
      row = margin + line.substr(letters, end - letters);
    } else {
      row += line.substr(at, end - at);
    }
    at = end;
  }
  out += row;
}

}  // namespace

std::string Table::str() const {
  std::vector<std::size_t> widths(header.size());
  const auto widen = [&](const std::vector<std::string>& cells) {
    widths.resize(std::max(widths.size(), cells.size()));
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], columns_of(cells[i]));
  };
  widen(header);
  for (const auto& row : rows) widen(row);
  std::string out;
  if (!header.empty()) append_row(out, header, widths, *this, {});
  for (std::size_t r = 0; r < rows.size(); ++r)
    append_row(out, rows[r], widths, *this, r < shares.size() ? shares[r] : std::vector<double>());
  return out;
}

std::string folded(const std::string& text, std::size_t width) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    if (columns_of(line) > width)
      append_folded(out, line, width);
    else
      out += line;
    if (end < text.size()) out += '\n';
    at = end + 1;
  }
  return out;
}

std::string percent_cell(double share) {
  return std::isfinite(share) ? fmt::format("{:.1f}", 100 * share) : "–";
}

}  // namespace headwater
