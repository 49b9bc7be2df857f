// Model: a loaded Transformer that can be run onto a tape. Const and thread-safe after loading.
#pragma once

#include <memory>
#include <vector>

#include <headwater/model_info.h>

#include "blocks/batch.h"
#include "blocks/weights.h"
#include "tape/tape.h"

namespace headwater {

struct Checkpoint;

// The weights of the blocks, for methods with an exact shortcut through a block (value zeroing, norms): what
// stands between the sites. A post-norm block is norm(x + ·), a pre-norm one x + ·(norm x): info().pre_norm.
struct Anatomy {
  const std::vector<BlockWeights>* blocks = nullptr;  // null: the model is not made of such blocks
  std::vector<HeadLayout> heads;                      // of each block
  const NormWeights* final_norm = nullptr;            // after the last block, of pre-norm models
};

class Model {
 public:
  Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  virtual ~Model() = default;

  const ModelInfo& info() const { return info_; }
  virtual Anatomy anatomy() const { return {}; }

  // Checks the batch (throws InputError: too long, an id outside the vocabulary, unequal lengths), then
  // records everything onto the tape and returns the logits. Throws FormatError if they are not finite.
  Var run(Tape& tape, const Batch& batch) const;

 protected:
  friend std::unique_ptr<Model> load_model(const Checkpoint& checkpoint);
  virtual Var forward(Tape& tape, const Batch& batch) const = 0;
  ModelInfo info_;
};

}  // namespace headwater
