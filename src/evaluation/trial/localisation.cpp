#include "evaluation/trial/localisation.h"

namespace headwater {

MaskedMap masked_map(const Trial& trial) {
  const ObjectMask& mask = trial.sample.mask;
  MaskedMap made;
  if (mask.pixels.empty() || mask.width != trial.sample.width || mask.height != trial.sample.height)
    return made;
  const std::vector<double> map = pixel_scores(trial.rows.back(), trial.sample);
  for (std::size_t i = 0; i < map.size(); ++i) {
    made.mean += map[i] / static_cast<double>(map.size());
    if (mask.pixels[i] == 2) continue;
    made.scores.push_back(map[i]);
    made.object.push_back(mask.pixels[i] == 1);
  }
  return made;
}

}  // namespace headwater
