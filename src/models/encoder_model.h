// What BERT and its kin are: a post-norm encoder and a head.
#pragma once

#include "blocks/encoder.h"
#include "models/family.h"

namespace headwater {

class EncoderModel : public Model {
 public:
  Tensor words() const override { return encoder_.words; }

 protected:
  virtual std::vector<std::vector<int>> positions(const Batch& batch) const {
    return counted_positions(batch);
  }
  Var forward(Tape& tape, const Batch& batch) const override {
    return head_(encoder_(tape, batch, positions(batch)), batch);
  }

  PostNormEncoder encoder_;
  Head head_;
};

}  // namespace headwater
