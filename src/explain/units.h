// Units: what a perturbing method removes at once: a token, a word, or an image's patch.
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
  bool words = false;         // a word's tokens are one unit; throws InputError for images
  bool with_special = false;  // include special tokens and an image's prefix
  bool keep_target = false;   // exclude the tokens at which the output is read
};
Units removable_units(const Study& study, const UnitOptions& options);

// Converts one number per unit to one per token, [T]. A unit's number is shared equally by its tokens, so
// sums stay the same; tokens in no unit get 0.
Tensor per_token(const Units& units, const std::vector<double>& numbers, Index tokens, DType dtype);

// Adds the notes and details of every unit-wise result, and which tokens are in a unit.
void describe_units(const Units& units, const std::vector<double>& numbers, Attribution& result);

}  // namespace headwater
