// Rollout: maps of single layers multiplied through the layers, and what is done to a map before.
// A map is T × T, row-major, row = the token being written; everything is in double.
#pragma once

#include <string_view>
#include <vector>

#include <headwater/tensor.h>

namespace headwater {

enum class Fusion { Mean, Max, Min };
Fusion fusion_of(std::string_view name);  // "mean", "max", "min"

// [1, H, T, T] or [H, T, T] → T × T over the heads.
std::vector<double> fuse_heads(const Tensor& patterns, Fusion fusion);

// The smallest ⌊ratio · n⌋ of the n cells a mask allows become 0, the first of equal ones first.
void discard_smallest(std::vector<double>& map, Index keys, double ratio, bool causal);

// ((1 − residual) map + residual I), rows divided by their sum. Returns the first row without any weight, or
// −1; such a row is left as zeros.
Index mix_with_identity(std::vector<double>& map, Index tokens, double residual);

// R_l = A_l R_{l−1} over maps [L, T, T] in double, in place.
void roll_out(Tensor& maps);

}  // namespace headwater
