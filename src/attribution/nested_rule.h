// Nested quadrature on [0, 1]: 5, 9 and 17 nodes, each set holding the one before, so that going on costs
// only the new nodes. Both ends and the middle are nodes: where they are known already they cost nothing, and
// two halves begin with three of their nodes known.
#pragma once

#include <span>
#include <vector>

#include "attribution/quadrature.h"

namespace headwater {

inline constexpr int nested_levels = 3;

// The nodes of a level in the order they were added: those of the level below come first. The first three are
// 1, 0 and 1/2. Weights sum to 1.
std::vector<Node> nested_rule(int level);

}  // namespace headwater
