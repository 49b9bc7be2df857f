// Quadrature on [0, 1]: where to evaluate a function and how much each value counts.
#pragma once

#include <string_view>
#include <vector>

namespace headwater {

enum class Rule { Gauss, Left, Right, Midpoint, Trapezoid };
Rule rule_of(std::string_view name);  // "gauss", "left", "right", "midpoint", "trapezoid"

struct Node {
  double at, weight;  // weights sum to 1
};

// n evaluations, ascending. Trapezoid needs two (throws InputError), the others one.
std::vector<Node> quadrature(Rule rule, int n);

}  // namespace headwater
