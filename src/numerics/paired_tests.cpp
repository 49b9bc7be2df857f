// Wilcoxon (1945): ranks of |d|, ties sharing the mean rank; W⁺ the sum over positive d. Exact: all 2ⁿ signs
// are alike, and the number of them with W⁺ = w follows from c_k(w) = c_{k−1}(w) + c_{k−1}(w − k);
// p = 2 P(W ≤ min(W⁺, W⁻)), at most 1. Otherwise z = (W⁺ − n(n+1)/4) / σ with
//
//   σ² = n(n+1)(2n+1)/24 − Σ_ties (t³ − t)/48
//
// Holm: p sorted ascending, p̃_(i) = max_{j ≤ i} min(1, (m − j + 1) p_(j)).
#include "numerics/paired_tests.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/parallel.h"
#include "numerics/random.h"
#include "numerics/rank_correlation.h"

namespace headwater {

namespace {

constexpr std::size_t exact_wilcoxon = 50, exact_signs = 14;

// P(W ≤ w) under random signs, without ties.
double signed_rank_tail(std::size_t n, double w) {
  const std::size_t top = n * (n + 1) / 2;
  std::vector<double> share(top + 1, 0.0);  // of all signs, halved once per rank
  share[0] = 1;
  for (std::size_t rank = 1; rank <= n; ++rank)
    for (std::size_t sum = top + 1; sum-- > 0;)
      share[sum] = (share[sum] + (sum >= rank ? share[sum - rank] : 0)) / 2;
  double tail = 0;
  for (std::size_t sum = 0; static_cast<double>(sum) <= w && sum <= top; ++sum) tail += share[sum];
  return tail;
}

double tie_term(std::vector<double> sizes) {
  std::sort(sizes.begin(), sizes.end());
  double term = 0;
  for (std::size_t begin = 0; begin < sizes.size();) {
    std::size_t end = begin + 1;
    while (end < sizes.size() && sizes[end] == sizes[begin]) ++end;
    const auto t = static_cast<double>(end - begin);
    term += t * t * t - t;
    begin = end;
  }
  return term;
}

}  // namespace

double wilcoxon_p(std::span<const double> differences) {
  std::vector<double> sizes;
  std::vector<bool> positive;
  for (const double d : differences) {
    if (d == 0) continue;
    sizes.push_back(std::abs(d));
    positive.push_back(d > 0);
  }
  if (sizes.empty()) return 1;
  const std::vector<double> ranks = average_ranks(sizes);
  double up = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) up += positive[i] ? ranks[i] : 0;
  const auto n = static_cast<double>(ranks.size());
  const double ties = tie_term(sizes), all = n * (n + 1) / 2;
  if (ranks.size() <= exact_wilcoxon && ties == 0 && sizes.size() == differences.size())
    return std::min(1.0, 2 * signed_rank_tail(ranks.size(), std::min(up, all - up)));
  const double deviation = std::sqrt(n * (n + 1) * (2 * n + 1) / 24 - ties / 48);
  return std::erfc(std::abs(up - all / 2) / deviation / std::numbers::sqrt2);
}

double sign_permutation_p(std::span<const double> differences, const PermutationOptions& options) {
  const std::size_t n = differences.size();
  double found = 0, size = 0;
  for (const double d : differences) {
    found += d;
    size += std::abs(d);
  }
  if (size == 0) return 1;
  const double bound = std::abs(found) - 1e-12 * size;  // equal up to the order of the sums
  const bool exact = n <= exact_signs;
  const std::int64_t count = exact ? std::int64_t{1} << n : options.permutations;
  std::vector<char> further(static_cast<std::size_t>(count), 0);
  parallel_for(count, 64, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      double sum = 0;
      std::uint64_t bits = static_cast<std::uint64_t>(k);
      for (std::size_t i = 0; i < n; ++i) {
        if (!exact && i % 64 == 0)
          bits = random_bits(options.seed, static_cast<std::uint64_t>(k) * (n / 64 + 1) + i / 64);
        sum += ((bits >> (i % 64)) & 1U) != 0 ? -differences[i] : differences[i];
      }
      further[static_cast<std::size_t>(k)] = std::abs(sum) >= bound ? 1 : 0;
    }
  });
  const auto hits = static_cast<double>(std::count(further.begin(), further.end(), 1));
  return exact ? hits / static_cast<double>(count) : (hits + 1) / (static_cast<double>(count) + 1);
}

std::vector<double> holm_adjusted(std::span<const double> p) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p.size(); ++i)
    if (!std::isnan(p[i])) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> adjusted(p.size(), std::numeric_limits<double>::quiet_NaN());
  double so_far = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    so_far = std::max(so_far, std::min(1.0, static_cast<double>(order.size() - k) * p[order[k]]));
    adjusted[order[k]] = so_far;
  }
  return adjusted;
}

}  // namespace headwater
