// Nested quadrature on [0, 1]: 4, 7 and 13 nodes, each set holding the one before, so that going on costs
// only the new nodes. Both ends and, from 7 on, the middle are nodes: where they are known already they cost
// nothing, and two halves begin with their ends known.
#pragma once

#include <cstddef>
#include <vector>

#include "numerics/quadrature.h"

namespace headwater {

inline constexpr int nested_levels = 3;
inline constexpr std::size_t nested_middle = 4;  // which node is 1/2, where it is one

// The nodes of a level in the order they were added: those of the level below come first. The first two are
// 1 and 0. Weights sum to 1.
std::vector<Node> nested_rule(int level);

// [n, n] for the n nodes of a level: Σ_i of row k times f at node i is the coefficient of f by the k-th
// polynomial that the rule finds orthogonal to all of lower degree and of mean square 1. The first is the
// integral; how the others fall tells how good it is.
std::vector<double> nested_coefficients(int level);

// [n, n] for the n nodes of a level: Σ_i of row k times f at node i is the integral from 0 to node k of the
// polynomial through all of them.
std::vector<double> nested_partial(int level);

}  // namespace headwater
