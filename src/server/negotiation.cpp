#include "server/negotiation.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace headwater {

namespace {

struct MediaRange {
  std::string name;  // "text/html", "text/*", "*/*"
  double quality = 1;
};

std::string trimmed_lower(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

std::vector<std::string> split_at(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(trimmed_lower(std::string_view(text).substr(begin, end - begin)));
    begin = end + 1;
  }
  return parts;
}

// "0.8", three digits at most; what is none counts as 1.
double quality_of(const std::string& text) {
  if (text.empty() || text.size() > 5 || text.find_first_not_of("0123456789.") != std::string::npos) return 1;
  return std::clamp(std::strtod(text.c_str(), nullptr), 0.0, 1.0);
}

std::vector<MediaRange> media_ranges(const std::string& accept) {
  std::vector<MediaRange> ranges;
  for (const std::string& one : split_at(accept, ',')) {
    const std::vector<std::string> parts = split_at(one, ';');
    if (parts.front().empty()) continue;
    MediaRange range{parts.front()};
    for (const std::string& parameter : parts)
      if (parameter.starts_with("q=")) range.quality = quality_of(parameter.substr(2));
    ranges.push_back(std::move(range));
  }
  return ranges;
}

// 3 for the type itself, 2 for "text/*", 1 for "*/*", 0 for another.
int exactness(const std::string& range, std::string_view type) {
  if (range == type) return 3;
  if (range == "*/*") return 1;
  const std::size_t slash = type.find('/');
  return range.ends_with("/*") && type.substr(0, slash + 1) == range.substr(0, range.size() - 1) ? 2 : 0;
}

}  // namespace

std::optional<std::string_view> chosen_type(const std::string& accept,
                                            std::span<const std::string_view> offered) {
  const std::vector<MediaRange> ranges = media_ranges(accept);
  if (ranges.empty()) return offered.front();
  std::optional<std::string_view> best;
  double most = 0;
  for (const std::string_view type : offered) {
    int named = 0;
    double quality = 0;
    for (const MediaRange& range : ranges)
      if (const int exact = exactness(range.name, type); exact > named) {
        named = exact;
        quality = range.quality;
      }
    if (named == 0 || quality <= most) continue;
    best = type;
    most = quality;
  }
  return best;
}

}  // namespace headwater
