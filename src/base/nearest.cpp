#include "base/nearest.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace headwater {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

std::string suggestion(std::string_view typed, std::span<const std::string> known) {
  // A third of the letters may be wrong, three at most; names are never longer than this.
  constexpr std::size_t longest = 64;
  if (typed.size() > longest) return {};
  std::size_t best = std::min<std::size_t>(typed.size() / 3, 3) + 1;
  std::string_view found;
  for (const std::string& name : known) {
    const bool begun = typed.size() >= 3 && name.starts_with(typed);
    const std::size_t distance = begun ? 1 : edit_distance(typed, name);
    if (distance < best) {
      best = distance;
      found = name;
    }
  }
  return found.empty() ? std::string() : fmt::format("; did you mean {}?", found);
}

}  // namespace headwater
