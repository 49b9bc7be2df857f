// One kept forward run, shared by every method, and the seed of a pull at the target's logit:
//
//   seed[row, index] = 1,  seed[row, contrast] = −1,  0 elsewhere
//
// where `row` is the target's position among the rows the head computed (batch().positions, or all). An
// answer has two such logits (study/terms.h).
#include "study/study.h"

#include <algorithm>

#include <fmt/format.h>
#include <headwater/error.h>

#include "study/memory.h"

namespace headwater {

Study::Study(const Model& model, Batch batch, Encoding encoding, Target target)
    : model_(model), batch_(std::move(batch)), encoding_(std::move(encoding)), target_(std::move(target)) {}

int Study::tokens() const {
  if (batch_.pixels.empty()) return batch_.ids.empty() ? 0 : static_cast<int>(batch_.ids.front().size());
  const Index patch = std::max(1, info().patch_size);
  const Index patches = (batch_.pixels.dim(2) / patch) * (batch_.pixels.dim(3) / patch);
  return info().prefix_tokens + static_cast<int>(patches);
}

const Run& Study::run() const {
  if (!run_) run_ = run({});
  return *run_;
}

Run Study::run(std::vector<Edit> edits) const {
  Run made;
  made.tape = std::make_unique<Tape>(Keep::Everything, std::move(edits));
  made.logits = model_.run(*made.tape, batch_);
  return made;
}

Study Study::over(Run other) const {
  Study study(model_, batch_, encoding_, target_);
  study.special_ids = special_ids;
  study.problem = problem;
  study.black = black;
  study.scratch = scratch;
  study.on_progress = on_progress;
  study.run_ = std::move(other);
  return study;
}

void Study::keep_only(std::vector<Site> sites, std::size_t bytes) {
  sites_ = std::move(sites);
  window_bytes_ = bytes;
}

Run Study::window_from(int layer) const {
  std::size_t per_layer = 1;
  for (const Site site : sites_) per_layer += site_bytes(info(), tokens(), site);
  int end = info().layers;
  if (window_bytes_ > 0) {
    const auto fits = static_cast<Index>(std::max<std::size_t>(1, window_bytes_ / per_layer));
    end = static_cast<int>(std::min<Index>(end, layer + fits));
  }
  std::vector<Wanted> kept;
  for (const Site site : {Site::Embed, Site::FinalNorm, Site::Pooled, Site::Logits})
    kept.push_back({site, 0});
  for (int l = layer; l < end; ++l)
    for (const Site site : sites_) kept.push_back({site, l});
  Run made;
  made.tape = std::make_unique<Tape>(kept);
  made.logits = model_.run(*made.tape, batch_);
  return made;
}

Tensor Study::at(Site site, int layer) const {
  if (sites_.empty() || run_) return run().at(site, layer);
  if (!window_) window_ = window_from(0);
  if (!window_->tape->has(site, layer)) {
    window_.reset();  // two windows would be twice the memory
    window_ = window_from(layer);
  }
  return window_->at(site, layer);
}

Tensor Study::logits() const {
  if (sites_.empty() || run_) return run().logits.value;
  if (!window_) window_ = window_from(0);
  return window_->logits.value;
}

// Logits are [1, N] for sequence heads and [1, rows, N] for token-wise ones.
Index Study::logit_offset(const Tensor& logits, const Term& term) const {
  const Index width = logits.shape().back();
  const Index rows = logits.rank() == 3 ? logits.dim(1) : 1;
  Index row = 0;
  if (logits.rank() == 3) {
    const auto& positions = batch_.positions;
    const auto found = std::find(positions.begin(), positions.end(), term.position);
    row = positions.empty() ? term.position : found - positions.begin();
  }
  if (row < 0 || row >= rows || term.index < 0 || term.index >= width)
    throw InputError(
        fmt::format("target: expected a position and an index inside the logits {}, found position "
                    "{} and index {}",
                    logits.shape().str(), term.position, term.index));
  return row * width + term.index;
}

void Study::aim(Target target) {
  target_ = std::move(target);
  const Tensor scores = logits();
  target_logit(scores);
}

double Study::target_logit(const Tensor& logits) const {
  const Terms terms = terms_of(target_);
  double value = 0;
  for (const Term& term : terms.wanted) value += logits.at(logit_offset(logits, term));
  for (const Term& term : terms.contrast) value -= logits.at(logit_offset(logits, term));
  return value;
}

Tensor Study::seed(const Run& run) const {
  const Tensor& logits = run.logits.value;
  Tensor seed = Tensor::zeros(logits.shape(), logits.dtype());
  dispatch(logits.dtype(), [&](auto r) {
    using R = decltype(r);
    R* values = seed.data<R>();
    const Terms terms = terms_of(target_);
    for (const Term& term : terms.wanted) values[logit_offset(logits, term)] += R(1);
    for (const Term& term : terms.contrast) values[logit_offset(logits, term)] -= R(1);
  });
  return seed;
}

}  // namespace headwater
