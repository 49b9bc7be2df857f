// Pictures of results over many inputs: SVG with axes, legend and numbers, and with `metadata`
// (provenance.h) for programs.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <headwater/heads.h>

namespace headwater {

// A map of every ranking: layers down, heads across, a number in every cell.
std::string heads_svg(std::span<const HeadImportance> rankings, std::string_view metadata);

// Accuracy over the share of heads removed: a field for each scope and order, a line for each ranking, the
// random orders as a band.
std::string pruning_svg(const PruningReport& report, std::string_view metadata);

// A bar per gold label: its accuracy without a trigger, then with each.
std::string triggers_svg(const TriggerReport& report, std::string_view metadata);

}  // namespace headwater
