// Pruning: accuracy without some heads, and a model folder without them.
#pragma once

#include "heads/labelled.h"

namespace headwater {

// The curves of every given ranking, globally and per layer, least and most important first, and of random
// orders. Throws InputError for rates outside 0 … 1 and for a memory bound (bytes; 0: none) that is too
// small. The record stays empty.
PruningReport pruning_curves(const LoadedModel& loaded, std::span<const Labelled> inputs,
                             std::span<const HeadImportance> rankings, const PruningOptions& options,
                             const Advance& advance, std::size_t max_memory = 0);
LabelledPlan plan_pruning(const LoadedModel& loaded, std::span<const Labelled> inputs, std::size_t rankings,
                          const PruningOptions& options, std::size_t max_memory);

// The mask that removes int(rate · all) heads by this importance: over all heads, or the same share per
// layer.
HeadMask pruned_mask(const HeadImportance& importance, double rate, bool per_layer, bool most_first);

// The masks along random curve number `which`, in the order of the rates.
std::vector<HeadMask> random_masks(const ModelInfo& info, const PruningOptions& options, int which);

// Copies the model's folder and zeroes what the removed heads write: their columns of the attention's output
// projection. Every reader of Hugging Face folders can open the copy, and its logits are those of the masked
// model. The folder appears whole or not at all; throws InputError if it exists.
void save_pruned(const std::string& model_folder, const std::vector<std::string>& weight_files,
                 const ModelInfo& info, const HeadMask& mask, const std::string& folder);

}  // namespace headwater
