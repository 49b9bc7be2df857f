// Probes: random directions whose numbers depend on (seed, token, probe) alone, never on how the work is
// batched or on the number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include <headwater/tensor.h>

namespace headwater {

// Orthonormal columns, each `width` numbers long.
using Directions = std::vector<std::vector<double>>;

// `count` orthonormal directions, uniform among those orthogonal to `taken` (orthonormal as well).
Directions random_directions(std::uint64_t seed, Index token, Index width, Index count,
                             const Directions& taken = {});

// Up to `count` orthonormal directions that hold most of the samples [n][width]; fewer where the samples
// span less.
Directions leading_directions(const std::vector<std::vector<float>>& samples, Index width, Index count);

// A random half of `count` positions.
std::vector<bool> random_half(std::uint64_t seed, std::uint64_t pass, Index count);

}  // namespace headwater
