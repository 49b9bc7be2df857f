// Maps: what every method with token-to-token weights does to its maps before returning them. A map is a
// tensor whose last two axes are [query, key].
#pragma once

#include <string>

#include <headwater/report.h>

#include "study/checks.h"

namespace headwater {

// The largest allowed distance of a row's sum from 1, in this working type.
double row_sum_bound(DType dtype);

// Claims measured on the values, before forbid_future.
Check check_row_sums(const Tensor& map);
// Adds that check, and says that rows of the result sum to 1.
void promise_row_sums(Attribution& result, Check check);
Check check_nonnegative(const Tensor& map);
Check check_causal(const Tensor& map);  // the largest weight on a token after the query

// Sets cells with key > query to NaN: a causal mask allows no value there, so it must not look like a
// measured zero.
void forbid_future(Tensor& map);

// A note on the largest weight, or a warning if it is so small that a normalised picture would show rounding
// noise.
std::string maximum_note(const Tensor& map);

}  // namespace headwater
