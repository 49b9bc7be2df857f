#include "result/short_line.h"

#include <algorithm>

#include <fmt/format.h>

#include "result/text_width.h"

namespace headwater {

std::string short_line(const Report& report, std::size_t line, int width) {
  constexpr int narrow = 24, wide = 40;
  const std::string number = line == 0 ? "" : fmt::format("{:>5}  ", line);
  const std::string text = report.image.empty() ? report.text : report.image;
  const std::string start = fmt::format(
      "{}{}  ", number, fitted(terminal_safe(text), width > 0 ? std::clamp(width / 3, 10, wide) : narrow));
  std::string rest = sentence_of(viewed(report));
  if (width > 0 && text_width(start) + text_width(rest) > width)
    rest = fitted(rest, std::max(10, width - text_width(start)));
  return start + rest + "\n";
}

}  // namespace headwater
