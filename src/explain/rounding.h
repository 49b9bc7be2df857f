// Whether a result is stable under the rounding of the run it was read from. Methods that divide by sums
// which pass through zero may magnify rounding to the size of the result, and checks of their own sums do not
// show that.
#pragma once

#include <functional>
#include <vector>

#include "study/study.h"

namespace headwater {

inline constexpr const char* rounding_check = "scores survive the input's last bits";

// Computes the scores again, over a run in which the last bits of every number of the encoder's input are
// changed up or down, so that all later roundings differ. The value is the largest difference as a share of
// the largest score; it estimates what the working type leaves uncertain and is not a bound.
Check check_rounding(const Study& study, const std::vector<double>& scores,
                     const std::function<std::vector<double>(const Study&)>& again);

}  // namespace headwater
