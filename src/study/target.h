// Target resolution: from what a caller names to one logit, the two of an answer, the log-probabilities of
// several tokens, or the difference of two such.
#pragma once

#include <headwater/report.h>
#include <headwater/request.h>

#include "study/inputs.h"
#include "study/prediction.h"

namespace headwater {

// Throws InputError listing what is allowed: an unknown label, a text that is no token or may be several, a
// position outside the rows, a target for a model without a head. Several tokens must be named by ids, and
// the input moved on, as move_on does.
Target resolve_target(const LoadedModel& loaded, const TargetSpec& spec, const Prediction& prediction,
                      const Encoding& encoding, const Row& row);

}  // namespace headwater
