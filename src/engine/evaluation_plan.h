// The plan of an evaluation: how much there is to do, and how much memory it holds at one time.
#pragma once

#include "engine/evaluate.h"

namespace headwater {

struct PlannedEvaluation {
  EvaluatePlan plan;
  std::size_t resident =
      0;  // of plan.bytes: what stays while inputs are explained; a bound takes it off theirs
};

// Throws InputError if `request.max_memory` is too small, and what the run would throw before its first
// example.
PlannedEvaluation planned_evaluation(const Explainer& explainer, const EvaluateRequest& request,
                                     const std::vector<ChosenMetric>& metrics);

}  // namespace headwater
