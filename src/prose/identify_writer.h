// Token identifiability as a document; record_json.h has its JSON Lines.
#pragma once

#include <string>

#include <headwater/identify.h>

#include "prose/document.h"
#include "result/many_inputs.h"

namespace headwater {

// `match` is the rule that the tables show; CSV, with one row per cell, and JSON hold both. `command` repeats the run.
Document identify_document(const IdentifyReport& report, MatchRule match, const std::string& command);

}  // namespace headwater
