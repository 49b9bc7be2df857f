// Batch: inputs of equal length. There is no padding, so that a row never depends on its neighbours.
#pragma once

#include <cstddef>
#include <span>
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

// Of [B][T] numbers T, which all inputs have in common.
inline Index length_of(const std::vector<std::vector<int>>& rows) {
  return rows.empty() ? 0 : static_cast<Index>(rows.front().size());
}

// What a batch holds is looked at here, so that nobody who only carries inputs asks whether they are tokens
// or pixels.

// Of a single input, the sizes of all it has: inputs that agree in them run together.
std::vector<Index> sizes_of(const Batch& one);
// How many tokens an input counts in a batch: as many as it has, or a picture's 16 × 16 patches.
std::size_t tokens_of(const Batch& one);

struct Group {
  std::vector<std::size_t> members;  // indices of the inputs, ascending
  Batch batch;
};
// Groups single inputs of the same sizes and wanted rows, so that nothing is padded. A group holds at most
// `max_tokens` tokens, so that memory is bounded, and at least one input. Every input is in exactly one
// group.
std::vector<Group> group_inputs(std::span<const Batch> inputs, std::size_t max_tokens);
// A single input so many times.
Batch repeated(const Batch& one, Index copies);
// One of a batch's inputs back to front: another input of the same sizes.
void reverse_input(Batch& batch, Index input);
Batch in_type(Batch batch, DType dtype);

}  // namespace headwater
