// Attribution trees (Hao et al., 2021): which tokens pass what on to which, layer by layer, as a tree.
#pragma once

#include <vector>

#include <headwater/tree.h>

namespace headwater {

// `attribution` [L, H, T, T] (NaN counts as 0). Needs at least 2 layers and 2 tokens: throws InputError.
Tree attribution_tree(const Tensor& attribution, const TreeOptions& options);

// Promises counted again on a tree that was made: every edge exceeds τ and λ, every token is reached once and
// from one that was there before.
std::vector<Check> tree_checks(const Tree& tree, const Tensor& attribution, const TreeOptions& options);

}  // namespace headwater
