// Heads over labelled inputs for the facade: from inputs to results with their record.
#pragma once

#include <span>

#include <headwater/heads.h>

#include "study/inputs.h"

namespace headwater {

HeadImportance rank_heads(const LoadedModel& loaded, std::span<const LabelledInput> inputs,
                          const std::string& ranking, const LabelledRun& run, RunRecord record);
PruningReport prune_heads(const LoadedModel& loaded, std::span<const LabelledInput> inputs,
                          std::span<const HeadImportance> rankings, const PruningOptions& options,
                          const LabelledRun& run, RunRecord record);
TriggerReport try_triggers(const LoadedModel& loaded, std::span<const LabelledInput> inputs,
                           const TriggerOptions& options, const LabelledRun& run, RunRecord record);

}  // namespace headwater
