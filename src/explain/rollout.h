// Rollout: the product of the maps of single layers, and the preparation of a map. A map is T × T, row-major,
// row = the token being written; all numbers are double.
#pragma once

#include <string_view>
#include <vector>

#include <headwater/tensor.h>

namespace headwater {

enum class Fusion { Mean, Max, Min };
Fusion fusion_of(std::string_view name);  // "mean", "max", "min"

// Fuses the heads: [1, H, T, T] or [H, T, T] → T × T.
std::vector<double> fuse_heads(const Tensor& patterns, Fusion fusion);

// Sets the smallest ⌊ratio · n⌋ of the n cells that a mask allows to 0, the first of equal ones first.
void discard_smallest(std::vector<double>& map, Index keys, double ratio, bool causal);

// Replaces the map by (1 − residual) map + residual I with rows divided by their sum. Returns the first row
// without any weight, or −1; such a row stays zero.
Index mix_with_identity(std::vector<double>& map, Index tokens, double residual);

// Computes R_l = A_l R_{l−1} over maps [L, T, T] in double, in place.
void roll_out(Tensor& maps);

}  // namespace headwater
