#include "study/map_checks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace headwater {

namespace {

// Calls f(row, query, key, value) for every cell.
template <class F>
void for_cells(const Tensor& map, F&& f) {
  const Index keys = map.shape().back();
  const Index queries = map.rank() > 1 ? map.dim(map.rank() - 2) : 1;
  dispatch(map.dtype(), [&](auto r) {
    const auto values = map.template values<decltype(r)>();
    for (Index i = 0; i < map.size(); ++i)
      f(i / keys, i / keys % queries, i % keys, static_cast<double>(values[static_cast<std::size_t>(i)]));
  });
}

}  // namespace

double row_sum_bound(DType dtype) {
  return dtype == DType::Float32 ? 1e-5 : 1e-12;
}

Check check_row_sums(const Tensor& map) {
  std::vector<double> sums(static_cast<std::size_t>(map.size() / std::max<Index>(1, map.shape().back())),
                           0.0);
  for_cells(map, [&](Index row, Index, Index, double v) { sums[static_cast<std::size_t>(row)] += v; });
  double worst = 0;
  for (const double sum : sums) worst = std::max(worst, std::abs(sum - 1));
  return check_within("rows sum to 1", worst, row_sum_bound(map.dtype()));
}

void promise_row_sums(Attribution& result, Check check) {
  result.checks.push_back(std::move(check));
  result.traits.rows_sum_to_one = true;
}

Check check_nonnegative(const Tensor& map) {
  double smallest = std::numeric_limits<double>::infinity();
  for_cells(map, [&](Index, Index, Index, double v) { smallest = std::min(smallest, v); });
  return {.name = "smallest weight is at least 0", .passed = smallest >= 0, .value = smallest, .bound = 0};
}

Check check_causal(const Tensor& map) {
  double largest = 0;
  for_cells(map, [&](Index, Index query, Index key, double v) {
    if (key > query) largest = std::max(largest, std::abs(v));
  });
  return {.name = "no weight on later tokens", .passed = largest == 0, .value = largest, .bound = 0};
}

void forbid_future(Tensor& map) {
  const Index keys = map.shape().back();
  const Index queries = map.dim(map.rank() - 2);
  dispatch(map.dtype(), [&]<class R>(R) {
    R* values = map.data<R>();
    for (Index i = 0; i < map.size(); ++i)
      if (i % keys > i / keys % queries) values[i] = std::numeric_limits<R>::quiet_NaN();
  });
}

std::string maximum_note(const Tensor& map) {
  double largest = 0;
  for_cells(map, [&](Index, Index, Index, double v) {
    if (v > largest) largest = v;
  });
  if (largest >= 1e-6) return fmt::format("The largest raw weight is {:.4g}.", largest);
  return fmt::format(
      "The largest raw weight is {:.4g}, next to nothing: a picture scaled to it would show rounding noise.",
      largest);
}

}  // namespace headwater
