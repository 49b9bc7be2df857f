// The self-test of a model for the facade: inputs, its own where none are given, and the worst over them.
#pragma once

#include <functional>
#include <span>

#include <headwater/check.h>
#include <headwater/request.h>

#include "study/inputs.h"

namespace headwater {

// `exact`: the same model in float64. The test's record is left to the caller.
ModelTest test_model(const LoadedModel& loaded, const LoadedModel& exact, std::span<const Input> inputs,
                     const std::function<void(const Progress&)>& progress);

}  // namespace headwater
