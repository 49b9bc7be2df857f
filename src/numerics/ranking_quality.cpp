// With the items taken in the order of falling scores, after a threshold that takes k items of which w are
// wanted: precision P = w / k, recall R = w / (all wanted). Thresholds stand behind groups of equal scores.
#include "numerics/ranking_quality.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

namespace headwater {

namespace {

// Calls step(recall, precision) for every threshold, highest first; false if nothing is wanted.
bool each_threshold(std::span<const double> scores, const std::vector<bool>& wanted,
                    const std::function<void(double, double)>& step) {
  const auto all = static_cast<double>(std::count(wanted.begin(), wanted.end(), true));
  if (all == 0 || scores.empty()) return false;
  const std::vector<std::size_t> order = descending_order(scores);
  double hits = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    hits += wanted[order[k]] ? 1 : 0;
    if (k + 1 < order.size() && scores[order[k + 1]] == scores[order[k]]) continue;
    step(hits / all, hits / static_cast<double>(k + 1));
  }
  return true;
}

}  // namespace

std::vector<std::size_t> descending_order(std::span<const double> scores) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  return order;
}

double average_precision(std::span<const double> scores, const std::vector<bool>& wanted) {
  double sum = 0, before = 0;
  const bool any = each_threshold(scores, wanted, [&](double recall, double precision) {
    sum += (recall - before) * precision;
    before = recall;
  });
  return any ? sum : std::numeric_limits<double>::quiet_NaN();
}

double precision_recall_area(std::span<const double> scores, const std::vector<bool>& wanted) {
  double sum = 0, last_recall = 0, last_precision = 1;
  const bool any = each_threshold(scores, wanted, [&](double recall, double precision) {
    sum += (recall - last_recall) * (precision + last_precision) / 2;
    last_recall = recall;
    last_precision = precision;
  });
  return any ? sum : std::numeric_limits<double>::quiet_NaN();
}

double trapezoid_area(std::span<const double> x, std::span<const double> y) {
  double sum = 0;
  for (std::size_t i = 1; i < std::min(x.size(), y.size()); ++i)
    sum += (x[i] - x[i - 1]) * (y[i] + y[i - 1]) / 2;
  return sum;
}

}  // namespace headwater
