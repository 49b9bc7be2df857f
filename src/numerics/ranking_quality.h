// Ranking quality: how well scores set the wanted items before the others. Tied scores share one threshold,
// so that no order among them is made up. NaN where nothing is wanted, or no score is there.
#pragma once

#include <span>
#include <vector>

namespace headwater {

// AP = Σ_n (R_n − R_{n−1}) P_n over falling thresholds.
double average_precision(std::span<const double> scores, const std::vector<bool>& wanted);
// The area under precision over recall by trapezoids, from (0, 1) on: ERASER's AUPRC.
double precision_recall_area(std::span<const double> scores, const std::vector<bool>& wanted);

// ∫ y dx by trapezoids; x ascending. 0 for fewer than two points.
double trapezoid_area(std::span<const double> x, std::span<const double> y);

// Indices from the largest score to the smallest, equal ones in their order.
std::vector<std::size_t> descending_order(std::span<const double> scores);

}  // namespace headwater
