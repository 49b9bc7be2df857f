#include "evaluation/trial/erasure.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/strings.h"
#include "numerics/ranking_quality.h"

namespace headwater {

std::vector<std::size_t> erasure_order(const std::vector<double>& scores, First first) {
  if (first == First::Most) return descending_order(scores);
  std::vector<double> negated;
  for (const double score : scores) negated.push_back(-score);
  return descending_order(negated);
}

Perturbation without_first(const std::vector<std::size_t>& order, std::size_t count) {
  Perturbation made{.kept = std::vector<bool>(order.size(), true)};
  for (std::size_t k = 0; k < count; ++k) made.kept[order[k]] = false;
  return made;
}

Perturbation only_first(const std::vector<std::size_t>& order, std::size_t count) {
  Perturbation made{.kept = std::vector<bool>(order.size(), false)};
  for (std::size_t k = 0; k < count; ++k) made.kept[order[k]] = true;
  return made;
}

std::vector<std::size_t> step_counts(std::size_t n, int steps) {
  std::vector<std::size_t> counts{0};
  if (n == 0) return counts;
  const std::size_t all = steps > 0 ? static_cast<std::size_t>(steps) : n;
  for (std::size_t j = 1; j <= all; ++j) counts.push_back((2 * n * j + all) / (2 * all));
  return counts;
}

std::vector<int> parsed_shares(const MethodOptions& options) {
  std::vector<int> shares;
  for (const std::string& piece : split(options.text("shares"), ',')) {
    int share = 0;
    const auto [end, error] = std::from_chars(piece.data(), piece.data() + piece.size(), share);
    if (error != std::errc{} || end != piece.data() + piece.size() || share < 1 || share > 100)
      throw InputError(fmt::format(
          "{}: option shares: expected whole percentages from 1 to 100 such as 1,5,10, found '{}'",
          options.method(), piece));
    shares.push_back(share);
  }
  return shares;
}

std::size_t share_count(std::size_t n, int share) {
  return (n * static_cast<std::size_t>(share) + 99) / 100;
}

std::vector<double> step_points(int steps) {
  const int last = steps > 0 ? steps : 10;
  std::vector<double> x;
  for (int j = 0; j <= last; ++j) x.push_back(static_cast<double>(j) / last);
  return x;
}

EvaluationValue step_curve(std::size_t n, int steps, const std::vector<double>& values) {
  std::vector<double> x;
  for (const std::size_t count : step_counts(n, steps))
    x.push_back(static_cast<double>(count) / static_cast<double>(n));
  EvaluationValue made{.value = trapezoid_area(x, values)};
  if (steps > 0) {
    made.curve = values;
    return made;
  }
  for (const double share : step_points(steps)) {
    const double at = share * static_cast<double>(n);
    const auto low = std::min(static_cast<std::size_t>(at), n);
    const std::size_t high = std::min(low + 1, n);
    made.curve.push_back(values[low] + (at - static_cast<double>(low)) * (values[high] - values[low]));
  }
  return made;
}

}  // namespace headwater
