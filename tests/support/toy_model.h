// A post-norm Transformer small enough to be worked out elsewhere: two layers, two heads of width 2, four
// numbers per token, feed-forward 8; weights and input are sines of their places, so that no file is needed.
#pragma once

#include "blocks/weights.h"
#include "models/model.h"

namespace headwater::testing {

class ToyModel : public Model {
 public:
  ToyModel();
  BlockWeights& block(int layer) { return blocks_[static_cast<std::size_t>(layer)]; }

 protected:
  Var forward(Tape& tape, const Batch& batch) const override;

 private:
  HeadLayout layout() const;
  std::vector<BlockWeights> blocks_;
};

// Its only input: three tokens.
Batch toy_batch();

}  // namespace headwater::testing
