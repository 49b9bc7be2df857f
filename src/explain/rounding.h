// Whether a result survives the rounding of the run it was read from. Methods that divide by sums which pass
// through zero may magnify it to the size of the result, which no check of their own sums can see.
#pragma once

#include <functional>
#include <vector>

#include "study/study.h"

namespace headwater {

inline constexpr const char* rounding_check = "scores survive the input's last bits";

// The scores once more, over a run of the same input with every number of the encoder's input moved by its
// last bits, up or down: all later roundings fall otherwise. The largest difference as a share of the largest
// score; an estimate of what the working type leaves uncertain, not a bound.
Check check_rounding(const Study& study, const std::vector<double>& scores,
                     const std::function<std::vector<double>(const Study&)>& again);

}  // namespace headwater
