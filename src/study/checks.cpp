#include "study/checks.h"

#include <algorithm>
#include <utility>

namespace headwater {

Check check_within(std::string name, double value, double bound) {
  return {.name = std::move(name), .passed = value <= bound, .value = value, .bound = bound};
}

void keep_worst(std::vector<Check>& checks, Check found) {
  const auto same = std::find_if(checks.begin(), checks.end(),
                                 [&](const Check& check) { return check.name == found.name; });
  if (same == checks.end())
    checks.push_back(std::move(found));
  else if (is_worse(found, *same))
    *same = std::move(found);
}

}  // namespace headwater
