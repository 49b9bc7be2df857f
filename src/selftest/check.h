// The self-test of a model for the facade: it uses the given inputs, or its own if there are none, and
// reports the worst of them.
#pragma once

#include <functional>
#include <span>

#include <headwater/check.h>
#include <headwater/request.h>

#include "study/inputs.h"

namespace headwater {

// `exact` is the same model in float64. The caller adds the run record.
ModelTest test_model(const LoadedModel& loaded, const LoadedModel& exact, std::span<const Input> inputs,
                     const std::function<void(const Progress&)>& progress);

}  // namespace headwater
