// Localisation: a map of pixels against a mask of the object.
#pragma once

#include <vector>

#include "trial/trial.h"

namespace headwater {

// Pixels that count, the object's or the background's.
struct MaskedMap {
  std::vector<double> scores;  // 0 … 1
  std::vector<bool> object;
  double mean = 0;  // of the whole map, pixels that do not count included
};
// Empty without a mask of the map's size, or if no pixel counts.
MaskedMap masked_map(const Trial& trial);

}  // namespace headwater
