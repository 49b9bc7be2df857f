// What `heads`, `prune` and `triggers` print: tables for a person, JSON for a program.
#pragma once

#include <span>
#include <string>

#include <headwater/formats.h>
#include <headwater/heads.h>

namespace headwater {

// One table per ranking, layers down, heads across, coloured by importance; then the strongest heads.
std::string heads_text(std::span<const HeadImportance> rankings, TerminalFormat::Colour colour);
std::string heads_json(std::span<const HeadImportance> rankings);

std::string curves_text(std::span<const PruningCurve> curves);
std::string curves_json(std::span<const PruningCurve> curves);
std::string curves_csv(std::span<const PruningCurve> curves);

std::string triggers_text(const TriggerReport& report);
std::string triggers_json(const TriggerReport& report);

}  // namespace headwater
