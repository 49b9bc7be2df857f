// The merges of a BPE model: for two neighbouring symbols, the rank of their merge and what it makes.
#pragma once

#include <cstdint>
#include <vector>

#include "text/json_view.h"
#include "text/vocabulary.h"

namespace headwater {

class MergeTable {
 public:
  struct Merge {
    int rank;
    int id;
  };

  // From ["a b", …] or [["a", "b"], …]. The right part of a merge loses `prefix_length` bytes when the
  // two are joined. Throws FormatError if a part or the result is not in the vocabulary.
  MergeTable(const JsonView& merges, const Vocabulary& vocabulary, std::size_t prefix_length);

  const Merge* find(int left, int right) const;

 private:
  void insert(std::uint64_t key, Merge merge);

  struct Slot {
    std::uint64_t key;
    Merge merge;
  };
  std::vector<Slot> slots_;  // open addressing; rank −1: free
};

}  // namespace headwater
