// Batch: inputs of equal length. There is no padding, so that a row never depends on its neighbours.
#pragma once

#include <vector>

#include <headwater/tensor.h>

namespace headwater {

struct Batch {
  std::vector<std::vector<int>> ids;       // [B][T]
  std::vector<std::vector<int>> type_ids;  // [B][T], or empty: all 0
  Tensor pixels;                           // [B, C, height, width] for image models
  std::vector<int> positions;              // token-wise heads: rows wanted; empty: all
};

}  // namespace headwater
