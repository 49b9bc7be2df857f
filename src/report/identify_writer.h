// Token identifiability as a table for the terminal, JSON, JSON Lines or CSV.
#pragma once

#include <string>

#include <headwater/formats.h>
#include <headwater/identify.h>

namespace headwater {

// `match` is "id" or "position": the rule the table shows; the other formats hold both.
// `command`: what repeats the run.
std::string identify_table(const IdentifyReport& report, const std::string& match, const std::string& command,
                           const TerminalFormat& format);
std::string identify_json(const IdentifyReport& report, const std::string& command);
std::string identify_jsonl(const IdentifyReport& report);  // a line per cell
std::string identify_csv(const IdentifyReport& report);    // a row per cell
// As text, or as JSON when `format` is json or jsonl.
std::string identify_plan_text(const IdentifyPlan& plan, const ModelInfo& info, const std::string& format);

}  // namespace headwater
