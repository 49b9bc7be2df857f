// Attribution trees (Hao et al., 2021): which tokens pass information to which, layer by layer, as a tree.
#pragma once

#include <vector>

#include <headwater/tree.h>

namespace headwater {

// Makes the tree of `attribution` [L, H, T, T] (NaN counts as 0). Throws InputError unless there are at least
// 2 layers and 2 tokens.
Tree attribution_tree(const Tensor& attribution, const TreeOptions& options);

// Checks of a finished tree: every edge exceeds τ and λ, and every token is reached once and from one that
// was there before.
std::vector<Check> tree_checks(const Tree& tree, const Tensor& attribution, const TreeOptions& options);

}  // namespace headwater
