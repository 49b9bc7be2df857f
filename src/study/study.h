// Study: one model, one input, one target, and everything a method may ask of them.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <headwater/report.h>

#include "models/model.h"
#include "study/inputs.h"
#include "study/terms.h"
#include "tape/tape.h"
#include "text/tokenizer.h"

namespace headwater {

// A forward run of the study's input.
struct Run {
  std::unique_ptr<Tape> tape;
  Var logits;  // Site::Logits
  Tensor at(Place place) const { return tape->at(place).value; }
  Tensor at(Site site, int layer) const { return at({site, layer}); }
};

// Ids that a method may put in a token's place, and the one that takes part in an answer's probability.
struct SpecialIds {
  std::optional<int> mask, unknown, pad, cls;
};

// Bytes that a method may use beyond its planned bytes, to work on larger tiles.
inline constexpr std::size_t default_scratch = std::size_t{64} << 20;

// Note [One run]. The default target is the prediction, which the kept run itself gives. A study is therefore
// made first, then run, then aimed at a target. Methods see it aimed and const.
//
// Note [Windows]. A method that only reads values names its sites, and the run then keeps only those. If all
// layers together do not fit the allowed memory, the run keeps a window of layers. A request for a layer
// outside it runs the model again with the window moved there. Methods go through the layers in order, so W
// windows cost W forward runs, and the numbers are the same bits.
class Study {
 public:
  // Without `units` (study/inputs.h) the units have their positions but no text.
  Study(const Model& model, Batch batch, InputUnits units = {}, Target target = {});
  void aim(Target target);  // throws InputError if the run has no such logit
  // Declares, before the first run, that only these sites will be read, from windows of layers that take at
  // most `bytes` (0: no bound; one layer is always kept). If this is not called, or the model has no plain
  // blocks, the run keeps everything.
  void keep_only(std::vector<Site> sites, std::size_t bytes);

  const Model& model() const { return model_; }
  const ModelInfo& info() const { return model_.info(); }
  const Batch& batch() const { return batch_; }  // B = 1
  const Target& target() const { return target_; }
  const std::vector<Sequence>& sequences() const { return units_.sequences; }
  const std::vector<Unit>& units() const { return units_.all; }  // the units of all sequences
  int size() const { return static_cast<int>(units_.all.size()); }
  int size(int sequence) const {
    return static_cast<int>(sequences()[static_cast<std::size_t>(sequence)].count);
  }
  // written() is the sequence to which the output's rows belong, the last one; first_written() is the number
  // of its first unit.
  int written() const { return static_cast<int>(sequences().size()) - 1; }
  Index first_written() const { return sequences().back().first; }

  // The rows of the last block from which the target's logits are computed: [CLS], the last token, the token
  // of a token-wise head, or several. Without a head it is the first token of an encoder or the last of a
  // decoder. They are counted in the sequence that is written.
  std::vector<Index> rows_read() const;
  // Where these positions are among the rows of logits; none: all rows, or a head without rows.
  Rows logit_rows(const std::vector<int>& positions) const;

  // A value of the input's run. Logits, FinalNorm, Embed and Pooled are always there, the others if they are
  // kept. Throws Unsupported if the model has no such value.
  Tensor at(Place place) const;
  Tensor at(Site site, int layer) const { return at({site, layer}); }
  // The input of the stacks at Embed or ResidPre, all sequences one after the other: [units, width].
  Tensor input(Site site) const;
  Tensor logits() const;
  // The tape of the input's run, for the origin of values and for replays. If layers are kept in windows it
  // holds no values, and at() gives them.
  const Tape& tape() const;
  Origin op_at(Place place) const;  // how a value of the run was made
  // The forward run with everything kept; it is made once and shared by all methods.
  const Run& run() const;
  Run run(std::vector<Edit> edits) const;  // another run, with edits
  Study over(Run other) const;             // this study with another run
  Study aimed_at(Target target) const;     // another study of this input, which has not run
  // Makes the runs of several studies of one model as one batch; `batch` holds their inputs in this order.
  // Each study gets its part, with the same bits as by itself. Requires run_alike.
  static void run_together(std::span<Study* const> studies, const Batch& batch);
  static bool run_alike(const Study& one, const Study& other);  // both keep the same sites of all layers
  // F of these logits (study/terms.h): the target's logit, or its difference to the contrast's; for several
  // tokens a sum of log-probabilities.
  double target_value(const Tensor& logits) const;
  // The signal that starts a pull for the target, ∂F/∂logits: 1 at its logits, −1 at the contrast's.
  Tensor seed(const Run& run) const;
  // The seed's linear function of these logits, or of a part of them. It is F itself except for several
  // tokens, where it is F's tangent at the study's own logits.
  double target_logit(const Tensor& logits) const;

  SpecialIds special_ids;
  Problem problem = Problem::SingleLabel;  // the meaning of a sequence classifier's scores
  std::vector<double> black;               // image models: a black pixel as the model sees it, [C]
  std::size_t scratch = default_scratch;   // bytes a method may take for larger tiles
  std::optional<std::chrono::steady_clock::time_point>
      until;                                     // the deadline of a method that refines its result
  std::function<void(double done)> on_progress;  // may throw to stop the method
  void progress(double done) const {             // 0 … 1; called by methods that take long
    if (on_progress) on_progress(done);
  }
  // Methods that go from layer to layer call this when a layer is done and others remain. `so_far` makes the
  // partial result, at the cost of a copy.
  std::function<void(const std::function<Attribution()>& so_far)> on_layer;

 private:
  Index logit_offset(const Tensor& logits, const Term& term) const;
  Tensor seed_at(const Tensor& logits) const;
  Run window_from(int layer) const { return window_from(layer, batch_); }
  Run window_from(int layer, const Batch& batch) const;
  void require_recorded(Place place) const;

  const Model& model_;
  Batch batch_;
  InputUnits units_;
  Target target_;
  std::vector<Site> sites_;  // empty: keep everything
  std::size_t window_bytes_ = 0;
  mutable std::optional<Run> run_, window_;
  mutable std::unique_ptr<const Tape> computed_;  // of the windows
};

// Makes a study of an input with all that the loaded model knows about it. Studies are made only here.
Study open_study(const LoadedModel& loaded, const Prepared& prepared);

// Joins the values of all sequences, [B, T_s, D] each, to [B, ΣT_s, D]; units_of_sequence takes one
// sequence's part back out.
Tensor joined_units(const std::vector<Tensor>& values);
Tensor units_of_sequence(const Tensor& all, const Sequence& sequence);

}  // namespace headwater
