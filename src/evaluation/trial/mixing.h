// Mixing: the common part of metrics of whole maps.
#pragma once

#include <functional>
#include <span>

#include "evaluation/trial/trial.h"

namespace headwater {

// For every layer the mean over tokens of `of` applied to a token's row, in which tokens that were not
// measured are 0; the value is the last layer's. NaN without a map.
EvaluationValue over_layers(const Trial& trial,
                            const std::function<double(std::span<const double> row, std::size_t own)>& of);

}  // namespace headwater
