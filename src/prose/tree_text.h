// Attribution trees as text; charts.h has the picture, record_json.h the JSON.
#pragma once

#include <string>
#include <vector>

#include <headwater/formats.h>
#include <headwater/report.h>

#include "heads/tree.h"
#include "result/grown_tree.h"

namespace headwater {

// One line per edge.
std::string tree_text(const Tree& tree, const std::vector<std::string>& tokens);
// The same with checks and record.
std::string tree_text(const GrownTree& grown, const TerminalFormat& terminal);

}  // namespace headwater
