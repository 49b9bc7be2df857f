// Random numbers that anybody can repeat: number i of a stream depends on the seed and on i alone, so that
// threads, batches and other languages see the same ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace headwater {

std::uint64_t splitmix64(std::uint64_t x);
// The bits of number i of the stream: splitmix64(splitmix64(seed) ^ i).
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t i);
double random_uniform(std::uint64_t seed, std::uint64_t i);  // in [0, 1), 53 bits
double random_normal(std::uint64_t seed, std::uint64_t i);   // mean 0, deviation 1
// A stream of its own for everything that has a name.
std::uint64_t random_stream(std::uint64_t seed, std::string_view name);

// 0 … n − 1 in the order of their random bits.
std::vector<std::size_t> random_order(std::uint64_t seed, std::size_t n);

}  // namespace headwater
