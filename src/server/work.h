// The work of jobs: what is asked of an engine, told step by step.
#pragma once

#include <memory>
#include <string>

#include "server/bodies.h"
#include "server/job_queue.h"
#include "server/method_times.h"

namespace headwater {

using SharedEngine = std::shared_ptr<const Engine>;

// `times` must outlive the job.
JobWork explaining(SharedEngine engine, std::string model, AskedExplanation asked, MethodTimes& times);
JobWork growing_a_tree(SharedEngine engine, AskedTree asked);
JobWork evaluating(SharedEngine engine, AskedEvaluation asked);
JobWork predicting(SharedEngine engine, AskedPrediction asked);
// What every method would take: those whose time nobody knows are tried first, within `memory`.
JobWork planning(SharedEngine engine, std::string model, AskedExplanation asked, std::size_t memory,
                 MethodTimes& times);
// The same where every time is known; null otherwise.
std::shared_ptr<const JobResult> known_plan(const Engine& engine, const std::string& model,
                                            const AskedExplanation& asked, const MethodTimes& times);

}  // namespace headwater
