// Random numbers that anybody can repeat, the same on every machine: SplitMix64, because the standard's
// distributions may differ between libraries.
//
// One generator, read in three ways. By number: number i depends on the seed and on i alone, so that threads,
// batches and other languages see the same ones. One after the other: a sequence. By key: a sequence of its
// own for every (seed, key …). The three make normal numbers of uniform ones each in its own way (the
// logarithm of u or of 1 − u, one or both numbers of a pair): results of published runs rest on them, so they
// stay apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace headwater {

std::uint64_t splitmix64(std::uint64_t x);

// By number: splitmix64(splitmix64(seed) ^ i).
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t i);
double random_uniform(std::uint64_t seed, std::uint64_t i);  // in [0, 1), 53 bits
double random_normal(std::uint64_t seed, std::uint64_t i);   // mean 0, deviation 1
// A stream of its own for everything that has a name.
std::uint64_t random_stream(std::uint64_t seed, std::string_view name);
// 0 … n − 1 in the order of their random bits.
std::vector<std::size_t> random_order(std::uint64_t seed, std::size_t n);

// One after the other.
class RandomSequence {
 public:
  explicit RandomSequence(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits();
  double uniform();  // in [0, 1)
  double normal();
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(uniform() * static_cast<double>(n)); }
  std::vector<bool> choice(std::size_t n,
                           std::size_t count);  // `count` of `n` marked true, every choice alike

 private:
  std::uint64_t state_;
};

// By key.
class KeyedNormals {
 public:
  KeyedNormals(std::uint64_t seed, std::initializer_list<std::uint64_t> key);
  double next();
  std::uint64_t bits() { return sequence_.bits(); }

 private:
  RandomSequence sequence_;
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace headwater
