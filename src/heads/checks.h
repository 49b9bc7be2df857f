// Promises about a whole run over labelled inputs: the worst of what its inputs showed.
#pragma once

#include <string>
#include <vector>

#include <headwater/report.h>

#include "explain/attention_attribution.h"
#include "explain/weighted_patterns.h"
#include "study/map_checks.h"
#include "study/study.h"

namespace headwater {

// Adds a check, or puts it in the place of one of its name if it came closer to its bound, or over it.
void keep_worst(std::vector<Check>& checks, Check found);

// Attributions as attattr makes them; what they promise, completeness and the estimated error, goes into the
// checks, and inputs that missed the tolerance are counted.
AttentionAttribution attribute_checked(const Study& study, const AttentionAttributionOptions& options,
                                       std::vector<Check>& checks, int& unresolved);

// How many inputs got different classes from two ways to the same: none may.
Check check_same_classes(std::string name, const std::vector<int>& first, const std::vector<int>& second);

// With some values of a site multiplied by s, the derivative of a function of the logits at s = 1 against a
// central difference: two forward runs.
Check check_slope(const Study& study, const Scaled& part, double slope, const OfLogits& function);

}  // namespace headwater
