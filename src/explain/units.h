// Units: what a perturbing method takes away at once: a token, a word, or an image's patch.
#pragma once

#include <vector>

#include "study/study.h"

namespace headwater {

struct Units {
  std::vector<std::vector<int>> tokens;  // of each unit, ascending
  bool words = false;
  std::size_t size() const { return tokens.size(); }
};

struct UnitOptions {
  bool words = false;         // a word's tokens together; throws InputError for images
  bool with_special = false;  // special tokens and an image's prefix too
  bool keep_target = false;   // never a token the output is read at
};
Units units_of(const Study& study, const UnitOptions& options);

// One number per unit → one per token, [T]: a unit's number is shared equally by its tokens, so that sums
// stay what they were; 0 for tokens in no unit.
Tensor per_token(const Units& units, const std::vector<double>& numbers, Index tokens, DType dtype);

// Notes and details that every unit-wise result has, and which tokens are in a unit.
void describe_units(const Units& units, const std::vector<double>& numbers, Attribution& result);

}  // namespace headwater
