// Pixel accuracy as Chefer, Gur & Wolf (2021) measure it: the map, carried to pixels and from 0 to 1, is the
// object where it exceeds its mean. Pixels are counted over all pictures; those at the object's edge that the
// mask leaves open do not count.
#include <algorithm>
#include <limits>

#include "evaluation/metrics/evaluation.h"
#include "evaluation/trial/localisation.h"
#include "numerics/ranking_quality.h"

namespace headwater {

namespace {

// Right and counted pixels.
EvaluationValue measure(const Trial& trial, const MethodOptions&, std::span<const Reply>) {
  const MaskedMap map = masked_map(trial);
  if (map.scores.empty()) return no_value();
  double right = 0;
  for (std::size_t i = 0; i < map.scores.size(); ++i) right += (map.scores[i] > map.mean) == map.object[i];
  const auto all = static_cast<double>(map.scores.size());
  return {.value = right / all, .parts = {right, all}};
}

double combine(std::span<const double> sums) {
  // Others were kept by something else.
  return sums.size() == 2 ? sums[0] / sums[1] : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

extern const Evaluation pixel_accuracy;
const Evaluation pixel_accuracy{
    .name = "pixel_accuracy",
    .summary = "The share of pixels on the right side of the map's mean.",
    .formula = "|{i : (map_i > mean map) = object_i}| / pixels, over all pictures",
    .paper = "Chefer, Gur and Wolf, 2021: Transformer Interpretability Beyond Attention Visualization. CVPR",
    .better = Evaluation::Better::Higher,
    .needs = Evaluation::Needs::Mask,
    .measure = measure,
    .combine = combine,
};

}  // namespace headwater
