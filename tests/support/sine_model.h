// The worked example of the mixing methods: two layers, D = 4, H = 2, F = 6, three tokens, float64. Every
// parameter is off + scale · sin(s + 1.7 k), k its row-major index, so that anybody can make it again by
// hand.
#pragma once

#include "blocks/weights.h"
#include "models/model.h"

namespace headwater::testing {

// Post-norm, bidirectional, erf-GELU, eps 1e-12; or pre-norm, causal, tanh-GELU, eps 1e-5.
class SineModel : public Model {
 public:
  explicit SineModel(bool pre_norm);
  Batch batch() const;  // what it is run on; the ids do not matter
  Var blocks(Var x) const;

 protected:
  Var forward(Tape& tape, const Batch& batch) const override;

 private:
  std::vector<BlockWeights> blocks_;
  HeadLayout heads_{};
};

}  // namespace headwater::testing
