// Random numbers that are the same on every machine: splitmix64 (Steele, Lea and Flood, 2014), because the
// standard's distributions may differ between libraries.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace headwater {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  double uniform() { return static_cast<double>(bits() >> 11U) * 0x1p-53; }  // [0, 1)
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(uniform() * static_cast<double>(n)); }
  double normal() {  // Box and Muller
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }
  // `count` of `n` marked true, every choice alike.
  std::vector<bool> choice(std::size_t n, std::size_t count) {
    std::vector<bool> chosen(n, false);
    for (std::size_t k = n - count; k < n; ++k) {  // Floyd
      const std::size_t at = below(k + 1);
      chosen[chosen[at] ? k : at] = true;
    }
    return chosen;
  }

 private:
  std::uint64_t state_;
};

}  // namespace headwater
