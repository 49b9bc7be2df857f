// ModelTrial: a model over all examples, as an evaluation of the model itself sees it.
#pragma once

#include <functional>
#include <vector>

#include <headwater/heads.h>

#include "study/inputs.h"

namespace headwater {

struct ModelTrial {
  const LoadedModel& loaded;
  std::vector<LabelledInput> inputs;  // labels as indices; empty if the file has none
  std::uint64_t seed = 0;
  std::size_t max_memory = 0;                // bytes beyond the weights; 0: no bound
  std::function<void(double done)> advance;  // 0 … 1; may throw to stop
};

}  // namespace headwater
