// What a run over labelled inputs holds, said before it is made, and how it is narrowed to a bound.
#pragma once

#include "heads/labelled.h"

namespace headwater {

Index tokens_in(const ModelInfo& info, const Labelled& one);
Index longest_of(const ModelInfo& info, std::span<const Labelled> inputs);

// What is left of a bound beside so many copies of the inputs. Throws InputError if nothing is.
struct MemoryBound {
  std::size_t left = 0;   // bytes; 0: no bound
  std::size_t taken = 0;  // by the inputs
};
MemoryBound bound_beside(std::span<const Labelled> inputs, std::size_t max_memory, std::size_t copies = 1);

// What is done to one input at a time.
enum class StudyKind {
  Attributions,  // attention attribution: windows of layers and tiles
  Patterns,      // attention patterns: windows of layers
  Gradients,     // everything kept, and pulled back
};
struct StudyMemory {
  std::vector<Site> sites;  // kept; empty: everything
  std::size_t window = 0;   // bytes for them; 0: all layers at once
  std::size_t scratch = 0;  // for larger tiles
  std::size_t total = 0;    // an upper estimate
};
// Within the bound, for an input of this many tokens. Throws InputError if not even one layer at a time fits,
// saying what would.
StudyMemory study_memory(const ModelInfo& info, StudyKind kind, Index tokens, const MemoryBound& bound);
// A study of one input, aimed at a class, within the bound.
Study study_within(const LoadedModel& loaded, const Labelled& one, int target, StudyKind kind,
                   const MemoryBound& bound);

// Batches that are classified with and without some heads. `more`: tokens an input may get beyond its own.
struct BatchMemory {
  std::size_t batch_tokens = 0;  // as group_inputs() counts them
  std::size_t total = 0;
};
BatchMemory batch_memory(const ModelInfo& info, std::span<const Labelled> inputs, const MemoryBound& bound,
                         Index more = 0);

// A plan that counts the inputs and nothing more yet.
LabelledPlan plan_for(const ModelInfo& info, std::span<const Labelled> inputs);

}  // namespace headwater
