// Jobs: the methods of a request with checked options, the memory they are allowed, and their run.
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

// Throws InputError for an unknown method, option or value, and for an aggregate of a method without a map
// per layer; Unsupported for a method that is undefined for this model, or that explains an output if the
// model has no task head.
std::vector<Job> jobs_of(const Request& request, const ModelInfo& info);

struct MemoryPlan {
  std::vector<Site> sites;  // sites that the run keeps; empty: everything
  std::size_t window = 0;   // bytes for them; 0: all layers at once
  std::size_t scratch = 0;  // for larger tiles
  std::size_t total = 0;    // bytes beyond the weights, an upper estimate
  std::size_t least = 0;    // `total` with one layer kept and the smallest tiles
};

// `rows` is the number of rows of the task head, `target_rows` the number that a method's own runs need for a
// target of several tokens. Throws InputError if `max_memory` (0: no bound) is less than the least that this
// needs; the message gives that number.
MemoryPlan plan_memory(const std::vector<Job>& jobs, const ModelInfo& info, Index tokens, Index rows,
                       std::size_t max_memory, Index target_rows = 1);

Attribution run_job(const Job& job, const Study& study);

}  // namespace headwater
