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

// About how many nodes of a rule bring the integral of a function within `allowed`, judged by its values at the
// nodes of the same rule that left this error: by how fast its coefficients fall, where Gauss' rule is used
// and they do, otherwise by the rule's order; where the values jump, by the most that a jump can leave.
// 0: more than anybody would run.
int nodes_to_reach(Rule rule, const std::vector<double>& values, double error, double allowed);

}  // namespace headwater
