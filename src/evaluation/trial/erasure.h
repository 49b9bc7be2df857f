// Erasure: which units are removed, in the order of their scores, and how many at a time, for metrics of
// deletion and insertion.
#pragma once

#include <vector>

#include "evaluation/trial/trial.h"
#include "methods/method.h"

namespace headwater {

enum class First { Most, Least };  // the most or least important first

// The units in the order of removal: by falling scores, or rising; equal ones from left to right.
std::vector<std::size_t> erasure_order(const std::vector<double>& scores, First first);

// All units except the first `count` of the order; or only these.
Perturbation without_first(const std::vector<std::size_t>& order, std::size_t count);
Perturbation only_first(const std::vector<std::size_t>& order, std::size_t count);

// The number of the n units that are removed at each step j = 0 … steps: n j / steps, rounded, halves up; 0
// steps: one by one. n = 0 has only step 0.
std::vector<std::size_t> step_counts(std::size_t n, int steps);

// Option "shares": whole percentages from 1 to 100, such as "1,5,10,20,50". Throws InputError.
std::vector<int> parsed_shares(const MethodOptions& options);
// ⌈share n / 100⌉: at least one unit.
std::size_t share_count(std::size_t n, int share);

// The area under the values at these steps over the share of units removed (or put back), and the values
// themselves. With 0 steps the curve has as many points as step_points, linear between the units, so that
// curves of examples of all lengths have a mean. n must not be 0.
EvaluationValue step_curve(std::size_t n, int steps, const std::vector<double>& values);
std::vector<double> step_points(int steps);

}  // namespace headwater
