// The worked example of value zeroing as a model: two layers, D = 4, two heads, F = 6, three tokens; every
// parameter is off + scale · sin(s + 1.7 k), k its row-major index in [in, out].
#pragma once

#include <memory>

#include "models/model.h"

namespace headwater::testing {

// Post-norm with erf GELU and eps 1e-12; or pre-norm, causal, with tanh GELU, eps 1e-5 and a last norm.
std::unique_ptr<Model> sine_model(bool pre_norm, DType dtype);

}  // namespace headwater::testing
