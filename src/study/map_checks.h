// Maps: what every method that gives token-to-token weights does to them before handing them out. A map is a
// tensor whose last two axes are [query, key].
#pragma once

#include <string>

#include <headwater/report.h>

namespace headwater {

// A value that may not exceed its bound.
Check check_within(std::string name, double value, double bound);

// What a weight's rows may differ from 1 by, in this working type.
double row_sum_bound(DType dtype);

// Promises measured on the values, before the future is forbidden.
Check check_row_sums(const Tensor& map);
Check check_nonnegative(const Tensor& map);
Check check_causal(const Tensor& map);  // the largest weight on a token after the query

// NaN where key > query: a causal mask allows no value there, so it must not look like a measured zero.
void forbid_future(Tensor& map);

// "largest weight 0.93", or a warning when the raw maximum is so small that a normalised picture would show
// rounding noise.
std::string maximum_note(const Tensor& map);

}  // namespace headwater
