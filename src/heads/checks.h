// Checks of a whole run over labelled inputs: the worst over its inputs.
#pragma once

#include <string>
#include <vector>

#include <headwater/report.h>

#include "explain/attention_attribution.h"
#include "explain/weighted_patterns.h"
#include "study/map_checks.h"
#include "study/study.h"

namespace headwater {

// Attributes attention as attattr does. Its checks, completeness and the estimated error, go into `checks`,
// and inputs that missed the tolerance are counted.
AttentionAttribution attribute_checked(const Study& study, const AttentionAttributionOptions& options,
                                       std::vector<Check>& checks, int& unresolved);

// The check that two ways of computing the classes agree on every input.
Check check_same_classes(std::string name, const std::vector<int>& first, const std::vector<int>& second);

// Compares the derivative of a function of the logits, as some values of a site are multiplied by s, at s = 1
// with a central difference: two forward runs.
Check check_slope(const Study& study, const Scaled& part, double slope, const OfLogits& function);

}  // namespace headwater
