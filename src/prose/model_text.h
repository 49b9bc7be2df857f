// Descriptions of a model and of what can be opened, as text and as JSON.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <headwater/model_info.h>
#include <headwater/tensor.h>

#include "checkpoint/checkpoint.h"

namespace headwater {

// The memory of one run beyond the weights. A run that keeps nothing holds one layer's values at a time.
struct ModelMemory {
  Index tokens = 0;
  std::size_t weights = 0, forward = 0, kept = 0;
};

std::string model_text(const ModelInfo& info, const ModelMemory& memory, const ModelFolder& folder);
// `tensors` is empty if they were not requested.
using ListedTensors = std::vector<std::pair<std::string, StoredTensor>>;
std::string model_json(const ModelInfo& info, const ModelMemory& memory, const ModelFolder& folder,
                       const std::optional<ListedTensors>& tensors);
std::string tensors_table(const ListedTensors& tensors);

// Families with their architectures, shipped models, cached models.
std::string models_text(const std::vector<ModelFolder>& shipped, const std::vector<ModelFolder>& cached);
std::string models_json(const std::vector<ModelFolder>& shipped, const std::vector<ModelFolder>& cached);

}  // namespace headwater
