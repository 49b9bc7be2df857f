// The memory of a run over labelled inputs, known before it runs, and how it is reduced to a bound.
#pragma once

#include "heads/labelled.h"

namespace headwater {

Index tokens_in(const ModelInfo& info, const Labelled& one);
Index longest_of(const ModelInfo& info, std::span<const Labelled> inputs);

// The rest of a bound after this many copies of the inputs. Throws InputError if nothing is left.
struct MemoryBound {
  std::size_t left = 0;   // bytes; 0: no bound
  std::size_t taken = 0;  // bytes of the inputs
};
MemoryBound bound_beside(std::span<const Labelled> inputs, std::size_t max_memory, std::size_t copies = 1);

// The kind of work on one input.
enum class StudyKind {
  Attributions,  // attention attribution: windows of layers and tiles
  Patterns,      // attention patterns: windows of layers
  Gradients,     // everything is kept and pulled through
};
struct StudyMemory {
  std::vector<Site> sites;  // sites that are kept; empty: everything
  std::size_t window = 0;   // bytes for them; 0: all layers at once
  std::size_t scratch = 0;  // for larger tiles
  std::size_t total = 0;    // an upper estimate
};
// The memory for an input of this many tokens, within the bound. Throws InputError if not even one layer at a
// time fits; the message gives a bound that suffices.
StudyMemory study_memory(const ModelInfo& info, StudyKind kind, Index tokens, const MemoryBound& bound);
// A study of one input, aimed at a class, within the bound.
Study study_within(const LoadedModel& loaded, const Labelled& one, int target, StudyKind kind,
                   const MemoryBound& bound);

// The memory of batches that are classified with and without some heads. `more` is the number of tokens that
// an input may gain.
struct BatchMemory {
  std::size_t batch_tokens = 0;  // as group_inputs() counts them
  std::size_t total = 0;
};
BatchMemory batch_memory(const ModelInfo& info, std::span<const Labelled> inputs, const MemoryBound& bound,
                         Index more = 0);

// A plan that so far only counts the inputs.
LabelledPlan plan_for(const ModelInfo& info, std::span<const Labelled> inputs);

}  // namespace headwater
