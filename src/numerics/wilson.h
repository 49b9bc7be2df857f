// Wilson's interval of a share p of n trials (1927), with z of 95 %:
//
//   (p + z²/2n ± z √(p (1 − p)/n + z²/4n²)) / (1 + z²/n)
#pragma once

#include <algorithm>
#include <cmath>

#include "numerics/bootstrap.h"

namespace headwater {

// 0 and 1 are reached by shares of 0 and 1 alone.
inline Interval wilson_interval(double share, double trials) {
  constexpr double z = 1.959963984540054;
  const double centre = (share + z * z / (2 * trials)) / (1 + z * z / trials);
  const double half =
      z / (1 + z * z / trials) * std::sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials));
  return {.low = share > 0 ? std::max(0.0, centre - half) : 0,
          .high = share < 1 ? std::min(1.0, centre + half) : 1};
}

}  // namespace headwater
