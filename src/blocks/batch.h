// Batch: inputs of equal length. There is no padding, so that a row never depends on its neighbours.
#pragma once

#include <vector>

#include <headwater/tensor.h>

namespace headwater {

class KeyValueCache;

struct Batch {
  std::vector<std::vector<int>> ids;       // [B][T]; of encoder–decoders the source
  std::vector<std::vector<int>> type_ids;  // [B][T], or empty: all 0
  Tensor pixels;                           // [B, C, height, width] for image models
  std::vector<int> positions;              // token-wise heads: rows wanted; empty: all
  // [B][T] of the output being written, the decoder's start token first; encoder–decoders only, whose
  // `positions` are rows of it.
  std::vector<std::vector<int>> prefix = {};
  // Generation: the tokens given (encoder–decoders: the prefix) follow those the cache has read.
  KeyValueCache* cache = nullptr;
};

// The tokens that the rows of the output belong to.
inline const std::vector<std::vector<int>>& written(const Batch& batch) {
  return batch.prefix.empty() ? batch.ids : batch.prefix;
}
inline std::vector<std::vector<int>>& written(Batch& batch) {
  return batch.prefix.empty() ? batch.ids : batch.prefix;
}

}  // namespace headwater
