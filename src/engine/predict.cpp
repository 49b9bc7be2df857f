// Predictions: inputs of equal length run as one batch.
#include <algorithm>
#include <iterator>

#include "blocks/batch.h"
#include "engine/impl.h"
#include "study/generation.h"
#include "study/inputs.h"
#include "study/prediction.h"
#include "study/target.h"
#include "study/token_target.h"

namespace headwater {

namespace {

// Enough to keep the matrix products busy, and a bound on memory: logits and activations grow with it.
constexpr std::size_t batch_tokens = 4096;
// Prepared inputs waiting for a batch at a time: the more, the fuller the batches; images are large.
constexpr std::size_t waiting_texts = 4096, waiting_images = 128;

}  // namespace

std::vector<Prediction> Engine::Impl::predict(std::span<const Input> inputs,
                                              const PredictOptions& options) const {
  std::vector<Batch> batches;
  std::vector<Prepared> all;
  for (const Input& input : inputs) {
    all.push_back(prepare(loaded, input));
    if (loaded.tokenizer) all.back().batch.positions = wanted_rows(loaded, all.back().encoding);
    batches.push_back(all.back().batch);
  }
  std::vector<Prediction> predictions(inputs.size());
  for (const Group& group : group_inputs(batches, batch_tokens)) {
    Tape tape(Keep::Nothing);
    const Tensor logits = loaded.model->run(tape, group.batch).value;
    for (std::size_t m = 0; m < group.members.size(); ++m) {
      const std::size_t i = group.members[m];
      const Row row = row_of(logits, static_cast<Index>(m), group.batch.positions);
      predictions[i] = read_prediction(loaded, row, all[i], options.top);
    }
  }
  if (options.max_new_tokens != 0)
    for (std::size_t i = 0; i < predictions.size(); ++i) {
      batches[i].positions.clear();
      Continuation made = continue_text(loaded, batches[i], options.max_new_tokens, options.beams);
      predictions[i].continuation = std::move(made.text);
      predictions[i].continuation_ids = std::move(made.ids);
    }
  return predictions;
}

Prediction Engine::predict(const Input& input, const PredictOptions& options) const {
  return std::move(impl_->predict({&input, 1}, options).front());
}

std::vector<Prediction> Engine::predict(std::span<const Input> inputs, const PredictOptions& options) const {
  const std::size_t window = impl_->loaded.processor ? waiting_images : waiting_texts;
  std::vector<Prediction> all;
  for (std::size_t begin = 0; begin < inputs.size(); begin += window) {
    std::vector<Prediction> some =
        impl_->predict(inputs.subspan(begin, std::min(window, inputs.size() - begin)), options);
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace headwater
