// Promises about a whole run over labelled inputs: the worst of what its inputs showed.
#pragma once

#include <string>
#include <vector>

#include <headwater/report.h>

#include "explain/attention_attribution.h"
#include "study/map_checks.h"
#include "study/study.h"

namespace headwater {

// Adds a check, or puts it in the place of one of its name if it came closer to its bound, or over it.
void keep_worst(std::vector<Check>& checks, Check found);

// What attattr promises: completeness and the estimated error, in shares of a layer's largest attribution.
std::vector<Check> attribution_checks(const AttentionAttribution& found, double tolerance);

// How many inputs got different classes from two ways to the same: none may.
Check check_same_classes(std::string name, const std::vector<int>& first, const std::vector<int>& second);

// With some values of a site multiplied by s, the derivative of a function of the logits at s = 1 against a
// central difference: two forward runs.
struct Scaled {
  Site site;
  int layer;
  Index begin, count;  // which of the values
};
Check check_slope(const Study& study, const Scaled& part, double slope,
                  const std::function<double(const Tensor& logits)>& function);

}  // namespace headwater
