// Head importance over labelled inputs; include/headwater/heads.h says what each ranking measures.
#pragma once

#include "heads/labelled.h"

namespace headwater {

// Throws InputError for an unknown ranking, listing them, and for a bound on memory (bytes; 0: none) that is
// too small, saying what would do. The record stays empty.
HeadImportance head_importance(const LoadedModel& loaded, std::span<const Labelled> inputs,
                               const std::string& ranking, const Advance& advance,
                               std::size_t max_memory = 0);
LabelledPlan plan_importance(const LoadedModel& loaded, std::span<const Labelled> inputs,
                             const std::string& ranking, std::size_t max_memory);

}  // namespace headwater
