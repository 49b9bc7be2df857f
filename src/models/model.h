// Model: a loaded Transformer that can be run onto a tape. Const and thread-safe after loading.
#pragma once

#include <memory>
#include <vector>

#include <headwater/model_info.h>

#include "tape/tape.h"

namespace headwater {

// Inputs of equal length: no padding, so that a row never depends on its neighbours.
struct Batch {
  std::vector<std::vector<int>> ids;       // [B][T]
  std::vector<std::vector<int>> type_ids;  // [B][T], or empty: all 0
  Tensor pixels;                           // [B, C, height, width] for image models
  std::vector<int> positions;              // token-wise heads: rows wanted; empty: all
};

class Model {
 public:
  Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  virtual ~Model() = default;

  const ModelInfo& info() const { return info_; }

  // Checks the batch (throws InputError: too long, an id outside the vocabulary, unequal lengths), then
  // records everything onto the tape and returns the logits. Throws FormatError if they are not finite.
  Var run(Tape& tape, const Batch& batch) const;

 protected:
  virtual Var forward(Tape& tape, const Batch& batch) const = 0;
  ModelInfo info_;
};

}  // namespace headwater
