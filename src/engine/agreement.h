// Agreement: do several methods order the tokens alike?
#pragma once

#include <vector>

#include <headwater/report.h>

namespace headwater {

// Every pair of the report's attributions, over the tokens the report shows.
std::vector<Agreement> agreement_of(const Report& report);

}  // namespace headwater
