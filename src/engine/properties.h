// Properties of a model that explanations rest on, measured on one input. They ask the tape alone, so that
// every wiring is tested alike: encoders, decoders, encoder–decoders, pictures.
#pragma once

#include <vector>

#include <headwater/check.h>

#include "models/model.h"

namespace headwater {

// `exact`: the same model in float64, or the model itself if it runs so. One input; of a token-wise head
// batch.positions names one row. In the order patterns, gradient, completeness, conservation, batches,
// precision.
std::vector<TestedProperty> tested_properties(const Model& model, const Model& exact, const Batch& batch);

}  // namespace headwater
