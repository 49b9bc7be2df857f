// Jobs: the methods of a request with their options checked, the memory they are allowed, and their run.
#pragma once

#include <vector>

#include <headwater/request.h>

#include "methods/method.h"
#include "study/study.h"

namespace headwater {

struct Job {
  const Method* method;
  MethodOptions options;
  std::string aggregate;  // "", "rollout" or "flow"
};

// Throws InputError for an unknown method, option or value, and for an aggregate of a method that has no map
// per layer; Unsupported for a method that means nothing for this model, or that explains an output when the
// model has no head.
std::vector<Job> jobs_of(const Request& request, const ModelInfo& info);

struct MemoryPlan {
  std::vector<Site> sites;  // what the run keeps; empty: everything
  std::size_t window = 0;   // bytes for them; 0: all layers at once
  std::size_t scratch = 0;  // for larger tiles
  std::size_t total = 0;    // bytes beyond the weights, an upper estimate
  std::size_t least = 0;    // the same with one layer kept and the smallest tiles
};

// `rows`: of the head. `target_rows`: those a method's own runs need for a target of several tokens. Throws
// InputError if `max_memory` (0: no bound) is less than the least this needs, naming that.
MemoryPlan plan_memory(const std::vector<Job>& jobs, const ModelInfo& info, Index tokens, Index rows,
                       std::size_t max_memory, Index target_rows = 1);

Attribution run_job(const Job& job, const Study& study);

}  // namespace headwater
