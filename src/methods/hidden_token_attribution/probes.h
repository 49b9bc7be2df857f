// Probes: random directions whose numbers depend on (seed, token, probe) alone, never on how the work is
// batched or on the number of threads.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include <headwater/tensor.h>

namespace headwater {

// Normal numbers: a stream of its own for every key.
class NormalStream {
 public:
  NormalStream(std::uint64_t seed, std::initializer_list<std::uint64_t> key);
  double next();
  std::uint64_t bits();

 private:
  std::uint64_t state_;
  double spare_ = 0;
  bool has_spare_ = false;
};

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
