// Bootstrap: how far a number over examples would move had other examples been drawn (Efron, 1979).
//
// Percentile intervals of a statistic over examples drawn with replacement. Draw i of resample b depends on
// the seed and on (b, i) alone, so that an interval is the same whatever the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace headwater {

struct Interval {
  double low = 0, high = 0;
};

struct BootstrapOptions {
  int resamples = 2000;
  double level = 0.95;
  std::uint64_t seed = 0;
};

// `statistic` is given the examples drawn, n indices below n; it is called from several threads. Resamples of
// which it is NaN are left out. NaN for no example, or if all are.
Interval bootstrap_interval(std::size_t n,
                            const std::function<double(std::span<const std::size_t>)>& statistic,
                            const BootstrapOptions& options = {});
// Of the mean.
Interval bootstrap_mean(std::span<const double> values, const BootstrapOptions& options = {});

// The p-quantile of sorted values, straight between neighbours: position p (n − 1). NaN for none.
double quantile_of_sorted(std::span<const double> sorted, double p);

}  // namespace headwater
