// What the replay of seeds knows of a fuzz target: its name, and what libFuzzer would call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

struct FuzzTarget {
  std::string_view name;
  int (*run)(const std::uint8_t* data, std::size_t size);
};

// Every fuzz/<name>_fuzz.cpp; written by CMake.
std::span<const FuzzTarget> all_fuzz_targets();
