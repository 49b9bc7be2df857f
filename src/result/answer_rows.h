// The numbers of a result as lists per layer, for what measures explanations or joins them.
#pragma once

#include <vector>

#include <headwater/report.h>

namespace headwater {

// Reads the answer's row of a result: [layer][token]. Scores for evaluations are read only here. Throws
// Unsupported for a result without such a row.
std::vector<std::vector<double>> answer_by_layer(const Report& report, const Attribution& result);

// The whole map of a method, [layer][query · T + key], averaged over heads; empty for a score per token.
std::vector<std::vector<double>> map_weights_by_layer(const Report& report, const Attribution& result);

}  // namespace headwater
