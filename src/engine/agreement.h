// Agreement: how similarly several methods order the tokens.
#pragma once

#include <vector>

#include <headwater/report.h>

namespace headwater {

// The agreement of every pair of the report's attributions, over the tokens that the report shows.
std::vector<Agreement> agreement_of(const Report& report);

}  // namespace headwater
