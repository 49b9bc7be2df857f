// The documents of `heads`, `prune` and `triggers`. CSV (RFC 4180) holds only the numbers. `command` repeats the run.
#pragma once

#include <string>
#include <vector>

#include <headwater/heads.h>

#include "prose/document.h"

namespace headwater {

// One table per ranking, then the strongest heads.
Document heads_document(const std::vector<HeadImportance>& rankings, const std::string& command);
Document curves_document(const PruningReport& report, const std::string& command);
Document triggers_document(const TriggerReport& report, const std::string& command);

}  // namespace headwater
