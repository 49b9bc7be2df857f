// The bookkeeping of a replay: ops that join and split copies of values, through which a walk can pass.
#pragma once

#include <vector>

#include "tape/tape.h"

namespace headwater {

// The axis of the rows: 1, or 2 for scores and patterns [B, H, T, S].
int row_axis(const Tensor& value);
// These rows of a value, in this order, repeats allowed.
Tensor picked_rows(const Tensor& value, const std::vector<int>& rows);
// [B, …] → [times · B, …]; shares the value's memory for one.
Tensor repeated(const Tensor& value, Index times);

// Joins batches one after the other: x_k [B_k, …] → [Σ B_k, …].
Var join(const std::vector<Var>& batches, Place place = {});
// Members [begin, begin + count) of a batch.
Var members(const Var& x, Index begin, Index count, Place place = {});
Var take_rows(const Var& x, const std::vector<int>& rows, Place place = {});

}  // namespace headwater
