// Token identifiability for the facade: the step from texts and a checkpoint to a report.
#pragma once

#include <headwater/identify.h>

#include "checkpoint/checkpoint.h"
#include "study/inputs.h"

namespace headwater {

// `identity` gives access to the weights again, for the shapes of the control.
IdentifyReport identify_texts(const LoadedModel& loaded, const Checkpoint& identity,
                              const IdentifyRequest& request, RunRecord record);
IdentifyPlan plan_texts(const LoadedModel& loaded, const IdentifyRequest& request);

}  // namespace headwater
