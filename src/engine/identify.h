// Token identifiability for the facade: from texts and a checkpoint to a report.
#pragma once

#include <headwater/identify.h>

#include "checkpoint/checkpoint.h"
#include "study/inputs.h"

namespace headwater {

// `identity` finds the weights again, for the control's shapes.
IdentifyReport identify_texts(const LoadedModel& loaded, const Checkpoint& identity,
                              const IdentifyRequest& request, RunRecord record);
IdentifyPlan plan_texts(const LoadedModel& loaded, const IdentifyRequest& request);

}  // namespace headwater
