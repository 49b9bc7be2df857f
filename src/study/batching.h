// Batches of equal length, so that nothing is padded; bounded in tokens, so that memory is.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "models/model.h"

namespace headwater {

struct Group {
  std::vector<std::size_t> members;  // indices of the inputs, ascending
  Batch batch;
};

// How many tokens an input counts in a batch: as many as it has, or an image's 16 × 16 patches.
std::size_t tokens_of(const Batch& one);

// Groups single inputs (B = 1 each) of the same length and wanted rows. A group holds at most `max_tokens`
// tokens, and at least one input. Every input is in exactly one group.
std::vector<Group> group_inputs(std::span<const Batch> inputs, std::size_t max_tokens);

}  // namespace headwater
