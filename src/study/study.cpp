// One kept forward run, shared by every method, and the seed of a pull at the target's logit:
//
//   seed[row, index] = 1,  seed[row, contrast] = −1,  0 elsewhere
//
// where `row` is the target's position among the rows the head computed (batch().positions, or all).
#include "study/study.h"

#include <algorithm>

#include <fmt/format.h>
#include <headwater/error.h>

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

// Logits are [1, N] for sequence heads and [1, rows, N] for token-wise ones.
Index Study::logit_offset(const Tensor& logits, int index) const {
  const Index width = logits.shape().back();
  const Index rows = logits.rank() == 3 ? logits.dim(1) : 1;
  Index row = 0;
  if (logits.rank() == 3) {
    const auto& positions = batch_.positions;
    const auto found = std::find(positions.begin(), positions.end(), target_.position);
    row = positions.empty() ? target_.position : found - positions.begin();
  }
  if (row < 0 || row >= rows || index < 0 || index >= width)
    throw InputError(
        fmt::format("target: expected a position and an index inside the logits {}, found position "
                    "{} and index {}",
                    logits.shape().str(), target_.position, index));
  return row * width + index;
}

void Study::aim(Target target) {
  target_ = std::move(target);
  const Tensor logits = run().logits.value;
  logit_offset(logits, target_.index);
  if (target_.contrast) logit_offset(logits, *target_.contrast);
}

Tensor Study::seed(const Run& run) const {
  const Tensor& logits = run.logits.value;
  Tensor seed = Tensor::zeros(logits.shape(), logits.dtype());
  dispatch(logits.dtype(), [&](auto r) {
    using R = decltype(r);
    R* values = seed.data<R>();
    values[logit_offset(logits, target_.index)] += R(1);
    if (target_.contrast) values[logit_offset(logits, *target_.contrast)] -= R(1);
  });
  return seed;
}

}  // namespace headwater
