// With s the scores in float32 and e those in float64,
//
//   value = max |s − e| / max |e|        bound 0.01
//
// One hundredth of the largest score is less than a picture shows, and relevance passes reach it: they divide
// by sums that may pass through zero, so that single cells of single layers lose far more digits than a
// gradient does. A result beyond it should be computed in float64.
#include "engine/verify.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <headwater/error.h>

#include "numerics/rank_correlation.h"
#include "study/map_checks.h"

namespace headwater {

namespace {

constexpr double allowed = 0.01;

std::vector<double> all_numbers(const Attribution& result) {
  std::vector<double> all;
  for (const Map& map : result.maps) {
    const std::vector<double> some = map.values.to_doubles();
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

void compare_result(Attribution& result, const Attribution& exact) {
  if (name_of(result) != name_of(exact) || result.scores().shape() != exact.scores().shape())
    throw InternalError(fmt::format("verify: expected {} {}, found {} {}", name_of(result),
                                    result.scores().shape().str(), name_of(exact),
                                    exact.scores().shape().str()));
  const std::vector<double> s = all_numbers(result), e = all_numbers(exact);
  std::vector<double> found, right;  // of the cells that have a value
  double largest = 0, apart = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (std::isfinite(s[i]) != std::isfinite(e[i])) apart = std::numeric_limits<double>::infinity();
    if (!std::isfinite(s[i]) || !std::isfinite(e[i])) continue;
    largest = std::max(largest, std::abs(e[i]));
    apart = std::max(apart, std::abs(s[i] - e[i]));
    found.push_back(s[i]);
    right.push_back(e[i]);
  }
  const double share = apart == 0 ? 0 : apart / largest;
  result.checks.push_back(check_within("float32 against float64", share, allowed));
  const double rho = spearman(found, right);
  result.notes.push_back(fmt::format(
      "float64 differs by {:.2g} of the largest score{}.", share,
      std::isnan(rho) ? "" : fmt::format("; rank correlation of all {} scores {:.6f}", found.size(), rho)));
}

}  // namespace

void compare_with_exact(Report& report, const Report& exact) {
  for (std::size_t i = 0; i < report.attributions.size(); ++i)
    compare_result(report.attributions[i], exact.attributions.at(i));
}

}  // namespace headwater
