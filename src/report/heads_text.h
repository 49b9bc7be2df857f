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
// One map per ranking: layers down, heads across, a number in every cell.
std::string heads_svg(std::span<const HeadImportance> rankings, std::string_view metadata);
// The checks of all rankings, each with the ranking's name before it, and one record for all of them.
std::vector<Check> checks_of(std::span<const HeadImportance> rankings);
RunRecord record_of(std::span<const HeadImportance> rankings);

std::string curves_text(const PruningReport& report, const std::string& command,
                        const TerminalFormat& format);
std::string curves_csv(const PruningReport& report);
// Accuracy over the share of heads removed: one field for each scope and order, one line for each ranking,
// and the random orders as a band.
std::string pruning_svg(const PruningReport& report, std::string_view metadata);

std::string pattern_of(const Trigger& trigger);  // its tokens: "not … bad"
std::string triggers_text(const TriggerReport& report, const std::string& command,
                          const TerminalFormat& format);
std::string triggers_csv(const TriggerReport& report);
// One group of bars per gold label: its accuracy without a trigger, then with each trigger.
std::string triggers_svg(const TriggerReport& report, std::string_view metadata);

}  // namespace headwater
