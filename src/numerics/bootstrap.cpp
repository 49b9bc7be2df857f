// With θ*_b the statistic of resample b, sorted, the interval of level c is
//
//   [ θ*_(α/2), θ*_(1 − α/2) ],  α = 1 − c
//
// quantiles straight between neighbours (NumPy's default). Draw (b, i) is ⌊u n⌋ with u the uniform number
// b n + i of the seed (numerics/random.h).
#include "numerics/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/parallel.h"
#include "numerics/random.h"

namespace headwater {

double quantile_of_sorted(std::span<const double> sorted, double p) {
  if (sorted.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double at = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

Interval bootstrap_interval(std::size_t n,
                            const std::function<double(std::span<const std::size_t>)>& statistic,
                            const BootstrapOptions& options) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (n == 0) return {none, none};
  std::vector<double> made(static_cast<std::size_t>(std::max(0, options.resamples)));
  parallel_for(static_cast<std::int64_t>(made.size()), 16, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::size_t> drawn(n);
    for (std::int64_t b = begin; b < end; ++b) {
      for (std::size_t i = 0; i < n; ++i)
        drawn[i] = static_cast<std::size_t>(
            random_uniform(options.seed, static_cast<std::uint64_t>(b) * n + i) * static_cast<double>(n));
      made[static_cast<std::size_t>(b)] = statistic(drawn);
    }
  });
  std::erase_if(made, [](double value) { return std::isnan(value); });
  std::sort(made.begin(), made.end());
  const double tail = (1 - options.level) / 2;
  return {quantile_of_sorted(made, tail), quantile_of_sorted(made, 1 - tail)};
}

Interval bootstrap_mean(std::span<const double> values, const BootstrapOptions& options) {
  return bootstrap_interval(
      values.size(),
      [&](std::span<const std::size_t> drawn) {
        double sum = 0;
        for (const std::size_t i : drawn) sum += values[i];
        return sum / static_cast<double>(drawn.size());
      },
      options);
}

}  // namespace headwater
