// One of several equal parts of many inputs, for machines that share the work: input k, counted from 0,
// belongs to shard k mod `count`. The content of a shard therefore depends only on the file, and long and
// short inputs spread evenly.
#pragma once

#include <cstddef>

namespace headwater {

struct Shard {
  std::size_t index = 0, count = 1;  // index counts from 0; one shard of one is everything

  bool holds(std::size_t input) const { return input % count == index; }
  // The number of its inputs among `inputs`, and the number of its n-th input among all.
  std::size_t of(std::size_t inputs) const { return inputs > index ? (inputs - index - 1) / count + 1 : 0; }
  std::size_t number(std::size_t nth) const { return nth * count + index; }
};

}  // namespace headwater
