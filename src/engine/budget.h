// Time that a request allows for refining its results (Request::budget).
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include <headwater/report.h>

#include "engine/jobs.h"

namespace headwater {

// In which order jobs run: where time is bounded, those that refine their results have what others leave.
std::vector<std::size_t> turns_of(const std::vector<Job>& jobs, bool bounded);

// Until when the next of so many jobs may refine its result.
std::chrono::steady_clock::time_point share_of_time(std::chrono::steady_clock::time_point start,
                                                    double budget, std::size_t jobs);

// The request that gives this report again whatever the clock says: with the methods that were run, and with
// the steps that were taken.
Request with_settled_options(Request request, const Report& report);

}  // namespace headwater
