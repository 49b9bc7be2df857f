// Pictures of results over many inputs, and of trees: SVG with axes, legend and numbers, and with `metadata`
// (provenance.h) for programs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <headwater/heads.h>
#include <headwater/identify.h>

#include "heads/tree.h"

namespace headwater {

// A map of every ranking: layers down, heads across, a number in every cell.
std::string heads_svg(std::span<const HeadImportance> rankings, std::string_view metadata);

// Accuracy over the share of heads removed: a field for each scope and order, a line for each ranking, the
// random orders as a band.
std::string pruning_svg(const PruningReport& report, std::string_view metadata);

// A bar per gold label: its accuracy without a trigger, then with each.
std::string triggers_svg(const TriggerReport& report, std::string_view metadata);

// Rates over states with their intervals, of all tokens and without special ones, by id or by position; the
// untrained model dashed, chance dotted.
enum class MatchRule { Id, Position };
std::string identify_svg(const IdentifyReport& report, MatchRule match, std::string_view metadata);

// A level per layer, lines as wide as their scores.
std::string tree_svg(const Tree& tree, const std::vector<std::string>& tokens, int layers,
                     std::string_view title, std::string_view metadata);

}  // namespace headwater
