#include "prose/terminal_generated.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "drawing/colours.h"
#include "result/running_text.h"
#include "result/text_width.h"

namespace headwater {

namespace {

constexpr int written_columns = 14;

// The units with the largest scores, the strongest first.
std::vector<std::size_t> strongest_units(const std::vector<double>& row, std::size_t most) {
  std::vector<std::size_t> order;
  for (std::size_t t = 0; t < row.size(); ++t)
    if (std::isfinite(row[t]) && row[t] != 0) order.push_back(t);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return std::abs(row[a]) > std::abs(row[b]); });
  order.resize(std::min(order.size(), most));
  return order;
}

// One column per unit; "·" marks units that were not measured or come later.
std::string matrix_cells(const std::vector<double>& row, double scale, TerminalFormat::Colour colour) {
  static const char* const shades[] = {" ", "░", "▒", "▓", "█"};
  std::string cells;
  for (const double value : row) {
    const double share = scale > 0 ? value / scale : 0;
    if (!std::isfinite(value))
      cells += dim("·", colour);
    else if (colour == TerminalFormat::Colour::None)
      cells += shades[static_cast<std::size_t>(std::lround(std::min(1.0, std::abs(share)) * 4))];
    else
      cells += painted(" ", share, colour);
  }
  return cells;
}

}  // namespace

std::string generated_view(const Report& report, const Attribution& attribution,
                           const TerminalFormat& format) {
  const auto found = std::find_if(attribution.details.begin(), attribution.details.end(),
                                  [](const Map& detail) { return detail.name == "generated"; });
  if (found == attribution.details.end()) return {};
  const std::vector<Unit>& units = report.prediction.units;
  const auto count = static_cast<std::size_t>(found->values.dim(0));
  const bool fit = written_columns + static_cast<int>(units.size()) + 36 <= format.width;
  std::string out = dim("  every token written, and what it rests on\n", format.colour);
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<double> row = found->values.rows(static_cast<Index>(i), 1).to_doubles();
    const std::vector<std::size_t> order = strongest_units(row, 4);
    const double scale = order.empty() ? 0 : std::abs(row[order.front()]);
    out += "  " + fitted(token_word(units[units.size() - count + i]), written_columns);
    int used = written_columns + 2;
    if (fit) {
      out += matrix_cells(row, scale, format.colour);
      used += static_cast<int>(units.size());
    }
    for (const std::size_t t : order) {
      const std::string name = token_word(units[t]);
      const std::string text =
          fmt::format("  {} {:+.2f}", text_width(name) > 12 ? fitted(name, 12) : name, row[t]);
      used += text_width(text);
      if (used > format.width) break;
      out += text;
    }
    out += '\n';
  }
  return out;
}

}  // namespace headwater
