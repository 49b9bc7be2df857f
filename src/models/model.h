// Model: a loaded Transformer that can be run onto a tape. Const and thread-safe after loading.
#pragma once

#include <memory>

#include <headwater/model_info.h>

#include "blocks/batch.h"
#include "tape/tape.h"

namespace headwater {

struct Checkpoint;

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

  // The table that token ids are looked up in, [V, D′]; empty for models that read no text.
  virtual Tensor words() const { return {}; }

 protected:
  friend std::unique_ptr<Model> load_model(const Checkpoint& checkpoint);
  // Throws InputError for what the family cannot read; tokens, unless it says otherwise.
  virtual void check(const Batch& batch) const;
  // The family's own wiring, embeddings to logits: the only place where it is written.
  virtual Var forward(Tape& tape, const Batch& batch) const = 0;
  ModelInfo info_;
};

// For families that read pictures.
void check_pixels(const ModelInfo& info, const Batch& batch);

}  // namespace headwater
