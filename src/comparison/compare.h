// Two sets of results side by side: where they differ most, array by array.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <headwater/tensor.h>

#include "files/results.h"

namespace headwater {

struct CompareOptions {
  double tolerance = 1e-5;  // difference allowed, as a share of the largest number of the array
  double absolute = 0;      // difference allowed whatever the numbers
};

// With a and b the two arrays: apart = max |a − b|, share = apart / max(|a|, |b|). Infinite where one has a
// number and the other none. NaN equals NaN.
struct ArrayDifference {
  std::string name;
  double apart = 0, share = 0;
  std::vector<Index> where;      // of the largest difference
  double first = 0, second = 0;  // the numbers there
  std::size_t numbers = 0;
  std::size_t beyond = 0;  // numbers further apart than allowed
  bool equal = true;
};

struct TextDifference {
  std::string name, first, second;
};

struct Comparison {
  std::string first, second;  // what was compared
  CompareOptions options;
  std::vector<ArrayDifference> arrays;               // of both, the largest share first
  std::vector<TextDifference> texts;                 // those that differ
  std::vector<std::string> only_first, only_second;  // names
  std::vector<std::string> shapes;                   // "scores: [2, 3] and [2, 4]"
  std::size_t compared_texts = 0;
};

// Throws InputError if the tolerance is no share, or if there is nothing to compare.
Comparison compare(const Results& a, const Results& b, const CompareOptions& options);
bool are_equal(const Comparison& made);

}  // namespace headwater
