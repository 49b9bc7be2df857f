// What `heads`, `prune` and `triggers` print: tables and pictures for a person, JSON and CSV for a program.
// Checks and the run record stand under a table as `explain` has them, and in a picture as `metadata`
// (provenance.h); CSV holds the numbers alone. `command`: what repeats the run.
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
// A map of every ranking: layers down, heads across, a number in every cell.
std::string heads_svg(std::span<const HeadImportance> rankings, std::string_view metadata);
// The checks of all rankings, each with the ranking's name before it, and one record for all of them.
std::vector<Check> checks_of(std::span<const HeadImportance> rankings);
RunRecord record_of(std::span<const HeadImportance> rankings);

std::string curves_text(const PruningReport& report, const std::string& command,
                        const TerminalFormat& format);
std::string curves_csv(const PruningReport& report);
// Accuracy over the share of heads removed: a field for each scope and order, a line for each ranking, the
// random orders as a band.
std::string pruning_svg(const PruningReport& report, std::string_view metadata);

std::string pattern_of(const Trigger& trigger);  // its tokens: "not … bad"
std::string triggers_text(const TriggerReport& report, const std::string& command,
                          const TerminalFormat& format);
std::string triggers_csv(const TriggerReport& report);
// A bar per gold label: its accuracy without a trigger, then with each.
std::string triggers_svg(const TriggerReport& report, std::string_view metadata);

}  // namespace headwater
