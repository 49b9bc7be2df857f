// The output of `heads`, `prune` and `triggers`: tables and pictures for people, JSON and CSV for programs.
// Checks and the run record follow a table as in `explain`; a picture carries them as `metadata`
// (provenance.h), and CSV holds only the numbers. `command` repeats the run.
#pragma once

#include <span>
#include <string>

#include <headwater/formats.h>
#include <headwater/heads.h>

namespace headwater {

// One table per ranking, layers down, heads across, coloured by importance; then the strongest heads.
std::string heads_text(std::span<const HeadImportance> rankings, const std::string& command,
                       const TerminalFormat& format);
std::string heads_csv(std::span<const HeadImportance> rankings);

std::string curves_text(const PruningReport& report, const std::string& command,
                        const TerminalFormat& format);
std::string curves_csv(const PruningReport& report);

std::string triggers_text(const TriggerReport& report, const std::string& command,
                          const TerminalFormat& format);
std::string triggers_csv(const TriggerReport& report);

}  // namespace headwater
