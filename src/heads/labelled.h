// Labelled: inputs with their gold class, encoded once and run in batches of equal length.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <headwater/heads.h>

#include "study/inputs.h"
#include "study/study.h"

namespace headwater {

struct Labelled {
  Batch batch;  // one input
  Encoding encoding;
  int gold = 0;
};

using Advance = std::function<void(double done)>;  // 0 … 1; may throw to stop

// Throws Unsupported for models that do not classify whole texts or images into exclusive labels, InputError
// for an unknown label or an input that the model cannot take; the message gives the number of the input.
std::vector<Labelled> prepare_labelled(const LoadedModel& loaded, std::span<const LabelledInput> inputs);

// The heads that stay: [layer][head].
using HeadMask = std::vector<std::vector<bool>>;
HeadMask all_heads(const ModelInfo& info);

// The tokens of a batch: enough to keep the matrix products busy, and a bound on memory.
inline constexpr std::size_t usual_batch_tokens = 4096;

// The predicted class of every input when the other heads' attention is zero.
std::vector<int> classify(const LoadedModel& loaded, std::span<const Labelled> inputs, const HeadMask& mask,
                          std::size_t batch_tokens = usual_batch_tokens);
// The same under every mask: [mask][input]. Masks that agree on the lower layers share the run of those.
std::vector<std::vector<int>> classify(const LoadedModel& loaded, std::span<const Labelled> inputs,
                                       std::span<const HeadMask> masks, const Advance& advance,
                                       std::size_t batch_tokens = usual_batch_tokens);
// The classes without any head, computed in another way: z, the output of every attention, is zero.
std::vector<int> classify_without_outputs(const LoadedModel& loaded, std::span<const Labelled> inputs,
                                          std::size_t batch_tokens = usual_batch_tokens);
double accuracy(std::span<const Labelled> inputs, const std::vector<int>& predicted);

}  // namespace headwater
