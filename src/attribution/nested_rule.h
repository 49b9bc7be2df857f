// Nested quadrature on [0, 1]: 3, 7, 15 and 31 nodes, each set holding the one before, so that going on costs
// only the new nodes.
#pragma once

#include <span>
#include <vector>

#include "attribution/quadrature.h"

namespace headwater {

inline constexpr int nested_levels = 4;

// The nodes of a level in the order they were added: those of the level below come first. Weights sum to 1.
std::vector<Node> nested_rule(int level);

}  // namespace headwater
