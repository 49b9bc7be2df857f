// Mean IoU as Chefer, Gur & Wolf (2021) measure it: intersection over union of the map above its mean with
// the object, and of the rest with the background, both accumulated over all pictures; the mean of the two.
#include <algorithm>
#include <limits>

#include "evaluation/metrics/evaluation.h"
#include "evaluation/trial/localisation.h"
#include "numerics/ranking_quality.h"

namespace headwater {

namespace {

// A side that is nowhere, in no map and no mask, has nothing to miss.
double combine(std::span<const double> sums) {
  if (sums.size() != 4) return std::numeric_limits<double>::quiet_NaN();  // kept by something else
  const auto share = [](double both, double any) { return any > 0 ? both / any : 1; };
  return (share(sums[0], sums[1]) + share(sums[2], sums[3])) / 2;
}

// What both say and what one of them says, of the background and of the object.
EvaluationValue measure(const Trial& trial, const MethodOptions&, std::span<const Reply>) {
  const MaskedMap map = masked_map(trial);
  if (map.scores.empty()) return no_value();
  double both_object = 0, any_object = 0, both_ground = 0, any_ground = 0;
  for (std::size_t i = 0; i < map.scores.size(); ++i) {
    const bool mine = map.scores[i] > map.mean, theirs = map.object[i];
    both_object += mine && theirs;
    any_object += mine || theirs;
    both_ground += !mine && !theirs;
    any_ground += !mine || !theirs;
  }
  EvaluationValue made{.parts = {both_ground, any_ground, both_object, any_object}};
  made.value = combine(made.parts);
  return made;
}

}  // namespace

extern const Evaluation mean_iou;
const Evaluation mean_iou{
    .name = "mean_iou",
    .summary = "How far the map above its mean and the object overlap.",
    .formula = "½ Σ_{side} |map ∩ mask| / |map ∪ mask|, both summed over all pictures",
    .paper = "Chefer, Gur and Wolf, 2021: Transformer Interpretability Beyond Attention Visualization. CVPR",
    .better = Evaluation::Better::Higher,
    .needs = Evaluation::Needs::Mask,
    .measure = measure,
    .combine = combine,
};

}  // namespace headwater
