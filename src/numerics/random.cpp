// SplitMix64 (Steele, Lea and Flood, 2014) as a hash of a counter and as a sequence; normal numbers by Box
// and Muller (1958); names by FNV-1a.
#include "numerics/random.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace headwater {

namespace {

constexpr std::uint64_t golden = 0x9E3779B97F4A7C15U;

std::uint64_t mixed_bits(std::uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

double in_unit_interval(std::uint64_t bits) {
  return static_cast<double>(bits >> 11U) * 0x1p-53;
}

}  // namespace

std::uint64_t splitmix64(std::uint64_t x) {
  return mixed_bits(x + golden);
}

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t i) {
  return splitmix64(splitmix64(seed) ^ i);
}

double random_uniform(std::uint64_t seed, std::uint64_t i) {
  return in_unit_interval(random_bits(seed, i));
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

std::uint64_t RandomSequence::bits() {
  state_ += golden;
  return mixed_bits(state_);
}

double RandomSequence::uniform() {
  return in_unit_interval(bits());
}

double RandomSequence::normal() {
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

std::vector<bool> RandomSequence::choice(std::size_t n, std::size_t count) {
  std::vector<bool> chosen(n, false);
  for (std::size_t k = n - count; k < n; ++k) {  // Floyd
    const std::size_t at = below(k + 1);
    chosen[chosen[at] ? k : at] = true;
  }
  return chosen;
}

KeyedNormals::KeyedNormals(std::uint64_t seed, std::initializer_list<std::uint64_t> key) : sequence_(0) {
  std::uint64_t state = splitmix64(seed);
  for (const std::uint64_t part : key) state = mixed_bits(state ^ (part + golden));
  sequence_ = RandomSequence(state);
}

double KeyedNormals::next() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  constexpr double unit = 0x1p-53;
  const double u = (static_cast<double>(bits() >> 11U) + 1) * unit;  // (0, 1]
  const double angle = 2 * std::numbers::pi * static_cast<double>(bits() >> 11U) * unit;
  const double radius = std::sqrt(-2 * std::log(u));
  spare_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

}  // namespace headwater
