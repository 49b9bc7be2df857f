// Target resolution: from what a caller names to one logit, the two of an answer, or the difference of two
// such.
#pragma once

#include <headwater/report.h>
#include <headwater/request.h>

#include "study/inputs.h"
#include "study/prediction.h"

namespace headwater {

// Throws InputError listing what is allowed: an unknown label, a text that is no single token, a position
// outside the rows, a target for a model without a head.
Target resolve_target(const Reader& reader, const TargetSpec& spec, const Prediction& prediction,
                      const Encoding& encoding, const Row& row);

}  // namespace headwater
