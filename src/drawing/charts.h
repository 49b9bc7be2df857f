// The charts of results over many inputs, and the tree of one result, as SVG. `metadata` is that of provenance_json.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <headwater/evaluate.h>
#include <headwater/heads.h>
#include <headwater/identify.h>

#include "result/grown_tree.h"
#include "result/many_inputs.h"

namespace headwater {

// One map per ranking: layers down, heads across, a number in every cell.
std::string heads_svg(std::span<const HeadImportance> rankings, std::string_view metadata);

// Accuracy over the share of heads removed: one field for each scope and order, one line for each ranking,
// and the random orders as a band.
std::string pruning_svg(const PruningReport& report, std::string_view metadata);

// One group of bars per gold label: its accuracy without a trigger, then with each trigger.
std::string triggers_svg(const TriggerReport& report, std::string_view metadata);

// One field per metric with a curve, one line per method with its interval. Throws InputError if no metric
// has a curve.
std::string evaluate_svg(const EvaluateReport& report, std::string_view metadata);

// Rates over states with their intervals, with and without special tokens; the untrained model is dashed and
// chance is dotted. `metadata` is that of provenance.h.
std::string identify_svg(const IdentifyReport& report, MatchRule match, std::string_view metadata);

std::string tree_svg(const GrownTree& grown);

}  // namespace headwater
