// Perturbed runs: changed inputs of many examples, collected and then run in batches of equal length. Equal
// inputs of an example run once, and the bits of a reply do not depend on its batch.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "evaluation/trial/trial.h"
#include "explain/objective.h"
#include "explain/replacement.h"
#include "study/study.h"

namespace headwater {

// Peak bytes of running changed inputs of this many tokens, beyond the inputs themselves; `inputs` is their
// number.
std::size_t perturbed_batch_bytes(const ModelInfo& info, Index tokens, std::size_t inputs);

class PerturbedRuns {
 public:
  explicit PerturbedRuns(const LoadedModel& loaded) : loaded_(loaded) {}

  // Adds an input with its target. Its units are what can be removed: tokens or words, but no special tokens.
  std::size_t add(const Prepared& prepared, const Target& target, View::Unit unit);
  const std::vector<std::vector<int>>& units(std::size_t input) const { return inputs_[input]->units; }

  // Requests one more run and returns the ticket of its reply. `replace` is a name for replacement_of; it is
  // ignored for pixels, which become black. Throws InputError for a replacement that the model does not have.
  std::size_t ask(std::size_t input, const std::string& replace, Perturbation perturbation);
  std::size_t waiting() const { return asked_.size(); }
  // Runs all waiting requests. `advance` receives the number of finished ones.
  void run(const std::function<void(std::size_t done)>& advance);
  const Reply& reply(std::size_t ticket) const { return replies_[ticket]; }
  void forget();  // inputs and replies

 private:
  struct Known {
    std::unique_ptr<Study> study;
    std::unique_ptr<Objective> probability, logit;  // probability: null for a score without one
    std::vector<std::vector<int>> units;
    std::map<std::string, Replacement> replacements;
    Tensor embeddings;                     // [T, D]; empty: not needed yet
    std::map<Replacement, Tensor> absent;  // [T, D], or [1, D] for all tokens alike
    std::map<std::pair<Replacement, Perturbation>, std::size_t> tickets;
  };
  struct Asked {
    std::size_t input;
    Replacement replacement;
    Perturbation perturbation;
  };

  struct Alike;     // the properties that inputs of one run share
  struct Together;  // inputs with the same properties, and their run

  void know_embeddings();
  const Tensor& absent_for(const Known& known, Replacement replacement) const;
  std::vector<bool> tokens_there(const Asked& asked) const;
  Batch batch_for(const Asked& asked) const;
  Alike alike_of(const Asked& asked, const Batch& batch) const;
  std::vector<Together> grouped() const;
  void run_some(Together& group, std::span<const std::size_t> members);
  template <class R>
  void write_embeddings(const Asked& asked, R* to) const;
  Tensor replayed(const Together& group, std::span<const std::size_t> members) const;
  void take(const Tensor& logits, std::span<const std::size_t> members, const std::vector<int>& positions);
  Reply reply_of(const Known& known, const Tensor& logits, const std::vector<int>& positions) const;

  const LoadedModel& loaded_;
  std::vector<std::unique_ptr<Known>> inputs_;
  std::vector<Asked> asked_;
  std::vector<Reply> replies_;
  std::map<Replacement, Tensor> shared_absent_;  // embeddings of special tokens, [1, D]
};

}  // namespace headwater
