// SplitMix64 (Steele, Lea and Flood, 2014) as a hash of a counter; normal numbers by Box and Muller (1958);
// names by FNV-1a.
#include "numerics/random.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace headwater {

std::uint64_t splitmix64(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t i) {
  return splitmix64(splitmix64(seed) ^ i);
}

double random_uniform(std::uint64_t seed, std::uint64_t i) {
  return static_cast<double>(random_bits(seed, i) >> 11U) * 0x1p-53;
}

double random_normal(std::uint64_t seed, std::uint64_t i) {
  const double radius = std::sqrt(-2 * std::log1p(-random_uniform(seed, 2 * i)));
  return radius * std::cos(2 * std::numbers::pi * random_uniform(seed, 2 * i + 1));
}

std::uint64_t random_stream(std::uint64_t seed, std::string_view name) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return random_bits(seed, hash);
}

std::vector<std::size_t> random_order(std::uint64_t seed, std::size_t n) {
  std::vector<std::uint64_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = random_bits(seed, i);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  return order;
}

}  // namespace headwater
