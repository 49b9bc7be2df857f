// Checks: a measured value against its bound, and which of two is the worse, for results that carry the worst of
// many maps, inputs or windows.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <headwater/report.h>

namespace headwater {

// A check of a value that may not exceed its bound.
Check check_within(std::string name, double value, double bound);

// A value that is no number is the worst; what failed is worse than what passed. Of two that passed, the one
// nearer to its bound is worse, of two that failed the one further beyond it; distances are measured in bounds,
// where the bound is not 0. For everything with a value, a bound and `passed`.
template <class Checked>
bool is_worse(const Checked& a, const Checked& b) {
  if (std::isnan(a.value) != std::isnan(b.value)) return std::isnan(a.value);
  if (a.passed != b.passed) return !a.passed;
  const auto distance = [](const Checked& one) {
    return std::abs(one.value - one.bound) / (one.bound != 0 ? std::abs(one.bound) : 1);
  };
  return a.passed ? distance(a) < distance(b) : distance(a) > distance(b);
}

// Adds a check, or replaces the one of the same name by it if it is worse.
void keep_worst(std::vector<Check>& checks, Check found);

}  // namespace headwater
