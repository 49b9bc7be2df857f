// Target resolution: the step from what a caller names to one logit, the two logits of an answer, the
// log-probabilities of several tokens, or the difference of two such targets.
#pragma once

#include <headwater/report.h>
#include <headwater/request.h>

#include "study/inputs.h"
#include "study/prediction.h"

namespace headwater {

// Throws InputError, with a list of what is allowed, for an unknown label, a text that is no token or may be
// several, a position outside the rows, and a target for a model without a head. Several tokens must be given
// by ids, and the input must already contain them, as move_on arranges.
Target resolve_target(const LoadedModel& loaded, const TargetSpec& spec, const Prediction& prediction,
                      const Encoding& encoding, const Row& row);

}  // namespace headwater
