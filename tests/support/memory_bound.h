// The least bound on memory that a plan takes.
#pragma once

#include <cstddef>
#include <functional>

#include <headwater/error.h>

namespace headwater::testing {

// By bisection: `plan` throws InputError for a bound that is too low.
inline std::size_t least_accepted(const std::function<void(std::size_t)>& plan) {
  std::size_t refused = 0;
  for (std::size_t step = std::size_t{1} << 32; step > 0; step /= 2) {
    try {
      plan(refused + step);
    } catch (const InputError&) {
      refused += step;
    }
  }
  return refused + 1;
}

}  // namespace headwater::testing
