// Pointing game (Zhang et al., 2016): the highest pixel of the map is on the object or beside it; of equal
// ones the first.
#include <algorithm>

#include "evaluation/metrics/evaluation.h"
#include "evaluation/trial/localisation.h"
#include "numerics/ranking_quality.h"

namespace headwater {

namespace {

// The highest of all pixels; one at the edge counts for neither.
EvaluationValue measure(const Trial& trial, const MethodOptions&, std::span<const Reply>) {
  const ObjectMask& mask = trial.sample.mask;
  if (mask.pixels.empty() || mask.width != trial.sample.width || mask.height != trial.sample.height)
    return no_value();
  const std::vector<double> map = pixel_scores(trial.rows.back(), trial.sample);
  const auto highest = static_cast<std::size_t>(std::max_element(map.begin(), map.end()) - map.begin());
  if (mask.pixels[highest] == 2) return no_value();
  return {.value = mask.pixels[highest] == 1 ? 1.0 : 0.0};
}

}  // namespace

extern const Evaluation pointing_game;
const Evaluation pointing_game{
    .name = "pointing_game",
    .summary = "Whether the map's highest pixel lies on the object.",
    .formula = "hits / (hits + misses)",
    .paper =
        "Zhang, Lin, Brandt, Shen and Sclaroff, 2016: Top-down Neural Attention by Excitation Backprop. ECCV",
    .better = Evaluation::Better::Higher,
    .needs = Evaluation::Needs::Mask,
    .measure = measure,
};

}  // namespace headwater
