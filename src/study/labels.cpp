#include "study/labels.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <headwater/error.h>

namespace headwater {

bool same_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

int label_index(const std::vector<std::string>& labels, std::string_view wanted, std::string_view what) {
  const auto exact = std::find(labels.begin(), labels.end(), wanted);
  if (exact != labels.end()) return static_cast<int>(exact - labels.begin());
  const auto alike = [&](const std::string& label) { return same_ignoring_case(label, wanted); };
  if (std::count_if(labels.begin(), labels.end(), alike) == 1)
    return static_cast<int>(std::find_if(labels.begin(), labels.end(), alike) - labels.begin());
  int index = -1;
  const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), index);
  const bool number = error == std::errc{} && end == wanted.data() + wanted.size();
  if (number && index >= 0 && index < static_cast<int>(labels.size())) return index;
  const std::size_t listed = std::min<std::size_t>(labels.size(), 20);
  throw InputError(
      fmt::format("{}: expected one of {}{} or an index 0 … {}, found '{}'", what,
                  fmt::join(labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(listed), ", "),
                  listed < labels.size() ? ", …" : "", labels.size() - 1, wanted));
}

}  // namespace headwater
