// A classifier whose output is known for every set of tokens: with e_t the embedding of token t,
//
//   logit 0 = Σ_t e_t + 2 e_0 e_1,   logit 1 = 0;      token-wise: row t has logit 0 = e_t + Σ e, logit 1 = 0
//
// and e_t = 10 + id, 1 for the mask. Not differentiable.
#pragma once

#include "models/model.h"

namespace headwater::testing {

class SumModel : public Model {
 public:
  explicit SumModel(Task task = Task::TextClassification);
  static constexpr int mask = 0;  // an id whose embedding is 1

 protected:
  Var forward(Tape& tape, const Batch& batch) const override;
};

}  // namespace headwater::testing
