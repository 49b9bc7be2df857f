// Model: a loaded Transformer that can be run onto a tape. Const and thread-safe after loading.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <headwater/model_info.h>

#include "blocks/batch.h"
#include "blocks/weights.h"
#include "tape/tape.h"

namespace headwater {

struct Checkpoint;

// What a model is made of, for methods with an exact shortcut through a block (value zeroing, norms) or that
// start in the middle: what stands between the sites.
struct Anatomy {
  const std::vector<BlockWeights>* blocks = nullptr;  // null: the model is not made of such blocks
  std::vector<HeadLayout> heads;                      // of each block
  const NormWeights* final_norm = nullptr;            // after the last block, of pre-norm models
  const Tensor* words = nullptr;                      // embedding table [V, D'], of text models
  bool reads_first = false;                           // the head reads the first row of the stream alone
};

// Inputs that enter in the middle of a block: its stream and its attention's output, [n, T, D] each. The
// latter is recorded as Site::AttnOut of the layer.
struct Entry {
  int layer;
  Tensor stream, attended;
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
  // The same from the middle: `stream` is the input of block `layer`. `batch` says what the head needs, for
  // as many inputs as there are.
  Var resume(const Var& stream, int layer, const Batch& batch) const;
  // The same for inputs that enter at different blocks, the lowest first: from where they meet they share
  // every product. With `rows` the last block is computed for these alone, and the head meets a stream of
  // them; only for models that are not causal.
  Var resume(Tape& tape, std::span<const Entry> entries, const Batch& batch,
             const std::vector<int>& rows = {}) const;

 protected:
  friend std::unique_ptr<Model> load_model(const Checkpoint& checkpoint);
  // A family is its start, its blocks (anatomy) and its end; a model that is not overrides forward.
  virtual Var start(Tape& tape, const Batch& batch) const;          // → Site::ResidPre of block 0
  virtual Var finish(const Var& stream, const Batch& batch) const;  // last norm and head → logits
  virtual std::optional<RotaryTables> rotary(Index /*tokens*/) const { return {}; }
  virtual Var forward(Tape& tape, const Batch& batch) const;
  ModelInfo info_;

 private:
  Var through_blocks(std::optional<Var> stream, int layer, Tape& tape, std::span<const Entry> entries,
                     const Batch& batch, const std::vector<int>& rows) const;
};

}  // namespace headwater
