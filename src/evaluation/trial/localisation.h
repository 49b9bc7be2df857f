// Localisation: the comparison of a map of pixels with a mask of the object.
#pragma once

#include <vector>

#include "evaluation/trial/trial.h"

namespace headwater {

// The pixels that count, of the object or the background.
struct MaskedMap {
  std::vector<double> scores;  // 0 … 1
  std::vector<bool> object;
  double mean = 0;  // of the whole map, including pixels that do not count
};
// Empty without a mask of the map's size, or if no pixel counts.
MaskedMap masked_map(const Trial& trial);

}  // namespace headwater
