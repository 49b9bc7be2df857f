// Rank correlation: Spearman's ρ with average ranks and Kendall's τ-b, both right when values are tied.
#pragma once

#include <span>
#include <vector>

namespace headwater {

// 1-based ranks; tied values share the mean of their ranks.
std::vector<double> average_ranks(std::span<const double> values);

// NaN when a side is constant or shorter than 2: no order to compare. Values must be finite.
double pearson(std::span<const double> a, std::span<const double> b);
double spearman(std::span<const double> a, std::span<const double> b);
double kendall_tau_b(std::span<const double> a, std::span<const double> b);

}  // namespace headwater
