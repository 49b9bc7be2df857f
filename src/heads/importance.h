// Head importance over labelled inputs; include/headwater/heads.h describes the rankings.
#pragma once

#include "heads/labelled.h"

namespace headwater {

// What the numbers of a ranking are. Files may name others than this version has: they are of some importance.
struct RankingMeaning {
  std::string_view name, numbers = "importance", below_zero = "negative";
};
RankingMeaning meaning_of_ranking(std::string_view name);

// Throws InputError for an unknown ranking, with a list of them, and for a memory bound (bytes; 0: none) that
// is too small, with one that suffices. The record stays empty.
HeadImportance head_importance(const LoadedModel& loaded, std::span<const Labelled> inputs,
                               const std::string& ranking, const Advance& advance,
                               std::size_t max_memory = 0);
LabelledPlan plan_importance(const LoadedModel& loaded, std::span<const Labelled> inputs,
                             const std::string& ranking, std::size_t max_memory);

}  // namespace headwater
