// What `heads`, `prune` and `triggers` print: tables for a person, JSON and CSV for a program. Checks and the
// run record stand under a table as `explain` has them; CSV holds the numbers alone. `command`: what repeats
// the run.
#pragma once

#include <span>
#include <string>

#include <headwater/formats.h>
#include <headwater/heads.h>

namespace headwater {

// One table per ranking, layers down, heads across, coloured by importance; then the strongest heads.
std::string heads_text(std::span<const HeadImportance> rankings, const std::string& command,
                       const TerminalFormat& format);
std::string heads_json(std::span<const HeadImportance> rankings, const std::string& command);
std::string heads_csv(std::span<const HeadImportance> rankings);
// The checks of all rankings, each with the ranking's name before it, and one record for all of them.
std::vector<Check> checks_of(std::span<const HeadImportance> rankings);
RunRecord record_of(std::span<const HeadImportance> rankings);

std::string curves_text(const PruningReport& report, const std::string& command,
                        const TerminalFormat& format);
std::string curves_json(const PruningReport& report, const std::string& command);
std::string curves_csv(const PruningReport& report);

std::string pattern_of(const Trigger& trigger);  // its tokens: "not … bad"
std::string triggers_text(const TriggerReport& report, const std::string& command,
                          const TerminalFormat& format);
std::string triggers_json(const TriggerReport& report, const std::string& command);
std::string triggers_csv(const TriggerReport& report);

}  // namespace headwater
