// Properties of a model on which explanations rely, measured on one input. They use only the tape, so
// encoders, decoders, encoder–decoders and image models are tested alike.
#pragma once

#include <vector>

#include <headwater/check.h>

#include "models/model.h"

namespace headwater {

// `exact` is the same model in float64, or the model itself if it already runs in float64. The batch holds
// one input; for a token-wise head batch.positions names one row. The properties come in the order patterns,
// gradient, completeness, conservation, batches, precision.
std::vector<TestedProperty> tested_properties(const Model& model, const Model& exact, const Batch& batch);

}  // namespace headwater
