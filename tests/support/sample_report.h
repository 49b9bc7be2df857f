// Reports made by hand, for writers.
#pragma once

#include <headwater/report.h>

namespace headwater::testing {

// Two labels, five tokens "[CLS] not bad ! [SEP]", attention [2, 2, 5, 5] and rollout [2, 5, 5] in float32.
Report text_report();
// A causal model of three tokens whose later cells are NaN.
Report causal_report();
// A picture of 2 × 2 patches behind one [CLS].
Report image_report();

// With the traits that a run of this method gives its result.
Attribution stamped(Attribution result);
void stamp(Report& report);  // all its results

}  // namespace headwater::testing
