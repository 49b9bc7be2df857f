// Adversarial triggers (Hao et al., 2021): the token pairs with the largest attributions in one input,
// inserted into others.
#pragma once

#include "heads/labelled.h"

namespace headwater {

// The record stays empty. Throws Unsupported for image models, InputError for a memory bound (bytes; 0: none)
// that is too small.
TriggerReport find_triggers(const LoadedModel& loaded, std::span<const Labelled> inputs,
                            const TriggerOptions& options, const Advance& advance,
                            std::size_t max_memory = 0);
LabelledPlan plan_triggers(const LoadedModel& loaded, std::span<const Labelled> inputs,
                           const TriggerOptions& options, std::size_t max_memory);

// The ids with a trigger's tokens inserted at their relative places, before [SEP] and after [CLS]; cut to
// `limit` tokens (0: no limit) before the last special token.
std::vector<int> with_trigger(const Labelled& one, const std::vector<TriggerToken>& tokens, Index limit);

}  // namespace headwater
