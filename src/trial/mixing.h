// Mixing: what metrics of whole maps share.
#pragma once

#include <functional>
#include <span>

#include "trial/trial.h"

namespace headwater {

// Of every layer the mean over tokens of what `of` says of a token's row, in which what is not measured is 0;
// the value is the last layer's. NaN without a map.
EvaluationValue over_layers(const Trial& trial,
                            const std::function<double(std::span<const double> row, std::size_t own)>& of);

}  // namespace headwater
