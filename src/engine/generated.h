// Explanations of every token that a model wrote: each is explained where it was predicted, over all units
// before it.
#pragma once

#include <vector>

#include <headwater/report.h>

#include "engine/jobs.h"
#include "study/inputs.h"
#include "study/prediction.h"
#include "study/study.h"

namespace headwater {

// The rows that predict the last `count` tokens of an input, and the row after them.
std::vector<int> rows_of_generated(const Prepared& prepared, int count);

// Adds the detail "generated" [token written, unit] to every result that has a score per unit and depends on
// the target. The report's target is the last token, and its row is the last. NaN marks units that were not
// measured or were not there yet. `row` has the logits at rows_of_generated.
void add_generated(Report& report, const std::vector<Job>& jobs, Study& study, const LoadedModel& loaded,
                   const Prepared& prepared, const Row& row, int count);

}  // namespace headwater
