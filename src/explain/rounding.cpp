#include "explain/rounding.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "study/map_checks.h"

namespace headwater {

namespace {

constexpr double allowed = 0.005;  // half of what `explain --verify` allows: this is an estimate

// The roundings of many operations accumulate in a result, so one unit in the last place of the input would
// be too small a change. With eight units the estimate has the size of the true difference from float64
// (docs/seen-on-real-models.md).
constexpr double units = 8;

// x (1 ± 8 ε), with the sign from a hash of the index (Fibonacci hashing).
void move_last_bits(Tensor& x) {
  dispatch(x.dtype(), [&]<class R>(R) {
    R* values = x.data<R>();
    for (Index i = 0; i < x.size(); ++i) {
      const bool up = (static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15U >> 63) != 0;
      values[i] *= static_cast<R>(1 + (up ? units : -units) * epsilon_of(x.dtype()));
    }
  });
}

}  // namespace

Check check_rounding(const Study& study, const std::vector<double>& scores,
                     const std::function<std::vector<double>(const Study&)>& again) {
  const Study moved = study.over(study.run({{Site::ResidPre, move_last_bits}}));
  const std::vector<double> other = again(moved);
  double largest = 0, apart = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    largest = std::max(largest, std::abs(scores[i]));
    apart = std::max(apart, std::abs(scores[i] - other[i]));
  }
  const double share = apart == 0 ? 0 : apart / largest;
  return check_within(rounding_check, share, allowed);
}

}  // namespace headwater
