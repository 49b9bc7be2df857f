// Study: one model, one input, one target: everything a method may ask for.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <headwater/report.h>

#include "models/model.h"
#include "tape/tape.h"
#include "text/tokenizer.h"

namespace headwater {

// A kept forward run of the study's input.
struct Run {
  std::unique_ptr<Tape> tape;
  Var logits;  // Site::Logits
  Tensor at(Site site, int layer = 0) const { return tape->at(site, layer).value; }
};

// Note [One run]. The default target is the prediction, which the kept run itself gives: a study is made,
// run, and then aimed. Methods see it aimed and const.
class Study {
 public:
  Study(const Model& model, Batch batch, Encoding encoding, Target target = {});
  void aim(Target target);  // throws InputError if the run has no such logit

  const Model& model() const { return model_; }
  const ModelInfo& info() const { return model_.info(); }
  const Batch& batch() const { return batch_; }           // B = 1
  const Encoding& encoding() const { return encoding_; }  // empty for images
  const Target& target() const { return target_; }
  int tokens() const;  // T, patches and [CLS] included

  // The forward run with everything kept; made once and shared by all methods.
  const Run& run() const;
  Run run(std::vector<Edit> edits) const;  // another one, edited
  // The signal that starts a pull for the target: 1 at its logit, −1 at the contrast's.
  Tensor seed(const Run& run) const;

 private:
  Index logit_offset(const Tensor& logits, int index) const;

  const Model& model_;
  Batch batch_;
  Encoding encoding_;
  Target target_;
  mutable std::optional<Run> run_;
};

}  // namespace headwater
