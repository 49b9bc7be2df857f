// mAP as Chefer, Gur & Wolf (2021) measure it: per picture one average precision over the pixels twice, as
// background with the score 1 − map and as object with the score map; the mean over pictures.
#include <algorithm>

#include "evaluation/metrics/evaluation.h"
#include "evaluation/trial/localisation.h"
#include "numerics/ranking_quality.h"

namespace headwater {

namespace {

// One ranking of twice the pixels: as background by 1 − map, as object by map.
EvaluationValue measure(const Trial& trial, const MethodOptions&, std::span<const Reply>) {
  const MaskedMap map = masked_map(trial);
  if (map.scores.empty()) return no_value();
  std::vector<double> scores;
  std::vector<bool> wanted;
  for (std::size_t i = 0; i < map.scores.size(); ++i) {
    scores.insert(scores.end(), {1 - map.scores[i], map.scores[i]});
    wanted.insert(wanted.end(), {!map.object[i], map.object[i]});
  }
  return {.value = average_precision(scores, wanted)};
}

}  // namespace

extern const Evaluation mask_precision;
const Evaluation mask_precision{
    .name = "mask_precision",
    .summary = "How well the map ranks the object's pixels before the background's.",
    .formula = "AP of (1 − map, map) against (background, object), mean over pictures",
    .paper = "Chefer, Gur and Wolf, 2021: Transformer Interpretability Beyond Attention Visualization. CVPR",
    .better = Evaluation::Better::Higher,
    .needs = Evaluation::Needs::Mask,
    .measure = measure,
};

}  // namespace headwater
