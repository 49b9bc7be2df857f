// Two plain ways to a flow through layered maps, for comparison: augmenting paths in double, and all cuts.
#pragma once

#include <headwater/tensor.h>

namespace headwater::testing {

// The largest flow from token k above layer l to input token t, by shortest augmenting paths (Edmonds and
// Karp) over a dense matrix of all nodes.
double augmenting_flow(const Tensor& maps, Index l, Index k, Index t);

// The smallest of all cuts: with S the tokens above layer l on the source's side,
// cut_l(S) = min over S' of Σ_{i ∈ S, j ∉ S'} A_l[i, j] + cut_{l−1}(S'), and below layer 0 only S' = all but
// t counts.
double smallest_cut(const Tensor& maps, Index l, Index k, Index t);

}  // namespace headwater::testing
