// Paired tests: do two methods differ on the same examples, or could chance have made the difference? And the
// correction for how many such questions were asked.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace headwater {

// Two-sided p of Wilcoxon's signed-rank test on the differences; zeros are left out. Exact for at most 50
// without ties or zeros, otherwise the normal approximation with its correction for ties. 1 if nothing is
// left.
double wilcoxon_p(std::span<const double> differences);

struct PermutationOptions {
  int permutations = 9999;  // where all 2ⁿ are more
  std::uint64_t seed = 0;
};
// Two-sided p of the mean under every change of signs, or under a random part of them and the one found. The
// signs of one are the same whatever the number of threads. 1 for no difference at all.
double sign_permutation_p(std::span<const double> differences, const PermutationOptions& options = {});

// Holm (1979): adjusted p in the order given; NaN counts as no test and stays.
std::vector<double> holm_adjusted(std::span<const double> p);

}  // namespace headwater
