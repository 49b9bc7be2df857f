#include "base/index_list.h"

#include <algorithm>
#include <charconv>

#include "base/strings.h"

namespace headwater {
namespace {

// −1: no number below the limit.
int index_from(const std::string& text, int limit) {
  int value = -1;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool number = error == std::errc{} && rest == text.data() + text.size();
  return number && value < limit ? value : -1;
}

}  // namespace

std::vector<int> parse_index_list(const std::string& text, int limit,
                                  const std::function<void(const std::string& piece)>& refuse) {
  std::vector<int> list;
  for (const std::string& piece : split(text, ',')) {
    const std::vector<std::string> ends = split(piece, '-');
    const int first = index_from(ends.front(), limit), last = index_from(ends.back(), limit);
    if (ends.size() > 2 || first < 0 || last < first) refuse(piece);
    for (int i = first; i <= last; ++i) list.push_back(i);
  }
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

}  // namespace headwater
