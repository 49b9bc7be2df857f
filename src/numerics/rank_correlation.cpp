// Spearman:  ρ = Pearson correlation of the average ranks.
// Kendall:   τ_b = (P − Q) / √((n₀ − n₁)(n₀ − n₂)),  n₀ = n(n−1)/2, n₁ and n₂ the pairs tied in a and in b.
// P − Q in O(n log n) (Knight, 1966): sort by a, then b; the discordant pairs Q are the exchanges a merge
// sort by b makes, and P + Q = n₀ − n₁ − n₂ + n₁₂ with n₁₂ the pairs tied in both.
#include "numerics/rank_correlation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

namespace headwater {

namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

// Pairs inside runs of equal neighbours: Σ m(m−1)/2.
template <class Equal>
std::int64_t tied_pairs(std::size_t n, const Equal& equal) {
  std::int64_t pairs = 0, run = 1;
  for (std::size_t i = 1; i <= n; ++i) {
    if (i < n && equal(i - 1, i)) {
      ++run;
    } else {
      pairs += run * (run - 1) / 2;
      run = 1;
    }
  }
  return pairs;
}

// Sorts `values` and counts the pairs that stood in the wrong order.
std::int64_t sort_counting_exchanges(std::vector<double>& values) {
  std::vector<double> merged(values.size());
  std::int64_t exchanges = 0;
  for (std::size_t width = 1; width < values.size(); width *= 2) {
    for (std::size_t begin = 0; begin < values.size(); begin += 2 * width) {
      const std::size_t middle = std::min(begin + width, values.size());
      const std::size_t end = std::min(begin + 2 * width, values.size());
      std::size_t left = begin, right = middle;
      for (std::size_t k = begin; k < end; ++k) {
        if (left < middle && (right >= end || values[left] <= values[right])) {
          merged[k] = values[left++];
        } else {
          exchanges += static_cast<std::int64_t>(middle - left);
          merged[k] = values[right++];
        }
      }
    }
    values.swap(merged);
  }
  return exchanges;
}

}  // namespace

std::vector<double> average_ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (std::size_t k = begin; k < end; ++k) ranks[order[k]] = static_cast<double>(begin + 1 + end) / 2;
    begin = end;
  }
  return ranks;
}

double pearson(std::span<const double> a, std::span<const double> b) {
  const std::size_t n = std::min(a.size(), b.size());
  // By the values themselves: the rounding of a mean would make an order of equal ones.
  const auto constant = [](std::span<const double> values) {
    return std::all_of(values.begin(), values.end(), [&](double value) { return value == values.front(); });
  };
  if (n < 2 || constant(a.first(n)) || constant(b.first(n))) return undefined;
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / static_cast<double>(n);
  const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / static_cast<double>(n);
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < n; ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : undefined;
}

double spearman(std::span<const double> a, std::span<const double> b) {
  return pearson(average_ranks(a), average_ranks(b));
}

double kendall_tau_b(std::span<const double> a, std::span<const double> b) {
  const std::size_t n = std::min(a.size(), b.size());
  if (n < 2) return undefined;
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return a[i] != a[j] ? a[i] < a[j] : b[i] < b[j]; });
  const auto tied_a = tied_pairs(n, [&](std::size_t i, std::size_t j) { return a[order[i]] == a[order[j]]; });
  const auto tied_both = tied_pairs(n, [&](std::size_t i, std::size_t j) {
    return a[order[i]] == a[order[j]] && b[order[i]] == b[order[j]];
  });
  std::vector<double> second(n);
  for (std::size_t k = 0; k < n; ++k) second[k] = b[order[k]];
  const std::int64_t discordant = sort_counting_exchanges(second);
  const auto tied_b = tied_pairs(n, [&](std::size_t i, std::size_t j) { return second[i] == second[j]; });
  const auto pairs = static_cast<std::int64_t>(n * (n - 1) / 2);
  if (pairs == tied_a || pairs == tied_b) return undefined;
  const std::int64_t difference = pairs - tied_a - tied_b + tied_both - 2 * discordant;
  return static_cast<double>(difference) /
         std::sqrt(static_cast<double>(pairs - tied_a) * static_cast<double>(pairs - tied_b));
}

}  // namespace headwater
