// Token identifiability as a table for the terminal, or CSV; record_json.h has the JSON.
#pragma once

#include <string>

#include <headwater/formats.h>
#include <headwater/identify.h>

#include "result/many_inputs.h"

namespace headwater {

// `match` is the rule that the table shows; the other formats hold both. `command` repeats the run.
std::string identify_table(const IdentifyReport& report, MatchRule match, const std::string& command,
                           const TerminalFormat& format);
std::string identify_csv(const IdentifyReport& report);  // one row per cell

}  // namespace headwater
