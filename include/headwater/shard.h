// One of several equal parts of many inputs, for machines that share the work: input k, counted from 0, is of
// shard k mod `count`. So a shard's inputs depend on nothing but the file, and long and short ones spread
// evenly.
#pragma once

#include <cstddef>

namespace headwater {

struct Shard {
  std::size_t index = 0, count = 1;  // index from 0; one of one is everything

  bool holds(std::size_t input) const { return input % count == index; }
  // How many of so many inputs are its, and where its n-th one stands among all.
  std::size_t of(std::size_t inputs) const { return inputs > index ? (inputs - index - 1) / count + 1 : 0; }
  std::size_t number(std::size_t nth) const { return nth * count + index; }
};

}  // namespace headwater
