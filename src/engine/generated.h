// What every token that a model wrote rests on: each explained where it was predicted, over all units before
// it.
#pragma once

#include <vector>

#include <headwater/report.h>

#include "engine/jobs.h"
#include "study/inputs.h"
#include "study/prediction.h"
#include "study/study.h"

namespace headwater {

// The rows that predict the last `count` tokens of an input, and the one behind them.
std::vector<int> rows_of_generated(const Prepared& prepared, int count);

// Adds the detail "generated" [token written, unit] to every result that has a score per unit and knows the
// target, which is that of the last token: its row is the last. NaN: not measured, or not there yet. `row`:
// the logits at rows_of_generated.
void add_generated(Report& report, const std::vector<Job>& jobs, Study& study, const LoadedModel& loaded,
                   const Prepared& prepared, const Row& row, int count);

}  // namespace headwater
