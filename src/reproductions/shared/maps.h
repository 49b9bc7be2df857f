// What experiments read out of results, and the means they make of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <headwater/report.h>

namespace headwater {

// The result's scores as they are: [layer, head, query, key], [layer, query, key] or [token].
Tensor scores_of(const Attribution& result);
// The same with heads averaged.
Tensor only_map(const Attribution& result);
// The row the output was read from in this layer; a score per token is its own row.
std::vector<double> answer_in(const Attribution& result, Index layer);
Index map_layers(const Attribution& result);
// Throws InternalError if the result has no detail of this name.
const Tensor& detail_of(const Attribution& result, std::string_view name);
// Tokens that were measured, for a score per token: all, where nothing was left out.
std::vector<bool> measured_of(const Attribution& result, std::size_t tokens);

// Rank correlation of two rows over the tokens of `among`; NaN where a side has no order.
double rank_agreement(const std::vector<double>& a, const std::vector<double>& b,
                      const std::vector<bool>& among);

// Over values that are numbers; NaN is left out.
struct MeanValue {
  double mean = 0, deviation = 0;  // of the sample (n − 1); NaN without a value, or with one
  std::size_t count = 0;
};
MeanValue mean_with_error(const std::vector<double>& values);
double median_of(std::vector<double> values);  // NaN of none

std::string figure(double value, int decimals = 2);            // a dash for what is no number
std::string figure(const MeanValue& value, int decimals = 2);  // "0.69 ± 0.27"
std::string percent(double share);                             // "7.5 %"

}  // namespace headwater
