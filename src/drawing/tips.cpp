#include "drawing/tips.h"

#include <cmath>

#include <fmt/format.h>
#include <headwater/formats.h>

#include "result/rows.h"
#include "result/running_text.h"
#include "result/text_width.h"

namespace headwater {

namespace {

std::string with_true_minus(std::string text) {
  for (std::size_t at = text.find('-'); at != std::string::npos; at = text.find('-', at))
    text.replace(at, 1, "−");
  return text;
}

// 1.23e-4, without the zero before the power.
std::string with_power(double value) {
  std::string text = fmt::format("{:.2e}", value);
  if (const std::size_t power = text.find('e') + 2; text[power] == '0') text.erase(power, 1);
  return text;
}

}  // namespace

std::string shown_number(double value) {
  if (std::isnan(value)) return "–";
  if (value == 0) return "0.0000";  // of either sign
  return with_true_minus(std::abs(value) >= 0.001 ? fmt::format("{:.4f}", value) : with_power(value));
}

std::string in_quotes(std::string_view name) {
  std::string shown = terminal_safe(name);
  const std::string line_feed = "␊", returned = "⏎";
  for (std::size_t at = shown.find(line_feed); at != std::string::npos; at = shown.find(line_feed, at))
    shown.replace(at, line_feed.size(), returned);
  const std::size_t first = shown.find_first_not_of(' ');
  if (first == std::string::npos) return "“␣”";
  return "“" + shown.substr(first, shown.find_last_not_of(' ') - first + 1) + "”";
}

std::string in_quotes(const Unit& unit) {
  return in_quotes(unit.text);
}

std::string place_words(const Map& map, Index layer, Index head) {
  std::string words;
  for (const Axis& axis : map.axes)
    if (axis.kind == Axis::Layer) words = fmt::format("L{}", layer);
  if (length_along(map, Axis::Head) > 1)
    words +=
        (words.empty() ? "" : " ") + (head < 0 ? std::string("mean of heads") : fmt::format("H{}", head));
  return words;
}

std::string scores_words(const Report& report, const Attribution& result, Index layer) {
  std::string words = name_of(result);
  if (const std::string place = place_words(result.maps.back(), layer, -1); !place.empty())
    words += " " + place;
  if (result.traits.of_target && !report.target.label.empty()) words += " for " + report.target.label;
  return words;
}

std::string cell_tip(const std::string& place, const std::string& reader, const std::string& read,
                     double value) {
  return fmt::format("{}{}{} reads {} {}", place, place.empty() ? "" : ": ", reader, read,
                     std::isnan(value) ? "masked" : shown_number(value));
}

std::string score_tip(const std::string& scores, const std::string& name, double value, bool of_map) {
  return fmt::format("{}: {} {}", scores, name,
                     !std::isnan(value) ? shown_number(value)
                     : of_map           ? "masked"
                                        : "not measured");
}

}  // namespace headwater
