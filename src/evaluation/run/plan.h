// The plan of an evaluation: the amount of work, and the memory it needs at one time.
#pragma once

#include "evaluation/run/evaluate.h"

namespace headwater {

struct PlannedEvaluation {
  EvaluatePlan plan;
  // The part of plan.bytes that stays while inputs are explained; a bound for these is reduced by it.
  std::size_t resident = 0;
};

// Throws InputError if `request.max_memory` is too small, and what the run would throw before its first
// example.
PlannedEvaluation planned_evaluation(const Explainer& explainer, const EvaluateRequest& request,
                                     const std::vector<ChosenMetric>& metrics);

}  // namespace headwater
