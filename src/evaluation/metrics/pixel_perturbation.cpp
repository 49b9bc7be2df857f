// Perturbation of pictures as Chefer, Gur & Wolf (2021) publish it: for the fractions f = 0.1 … 0.9, the
// ⌊f · pixels⌋ highest pixels of the map are made black (0 before normalising) in all channels, and the
// picture is classified again. With acc the top-1 accuracy and the unchanged picture's at 0,
//
//   AUC = 100 Σ_j (x_j − x_{j−1}) (acc_j + acc_{j−1}) / 2,   x = 0, 0.1, …, 0.9
//
// so that 90 is the most. Accuracy is against the gold label; without one against the label of the unchanged
// picture. Highest first (positive) it should fall; lowest first (negative) it should stay. Of equal pixels
// the first go first.
#include "evaluation/metrics/evaluation.h"
#include "evaluation/trial/erasure.h"
#include "numerics/ranking_quality.h"

namespace headwater {

namespace {

constexpr int last_tenth = 9;

std::vector<Perturbation> asks(const Trial& trial, const MethodOptions& options) {
  std::vector<double> map = pixel_scores(trial.rows.back(), trial.sample);
  const std::vector<std::size_t> order =
      erasure_order(map, options.text("order") == "least" ? First::Least : First::Most);
  std::vector<Perturbation> all;
  for (int tenth = 0; tenth <= last_tenth; ++tenth) {
    all.push_back(without_first(order, order.size() * static_cast<std::size_t>(tenth) / 10));
    all.back().of = Perturbation::Of::Pixels;
  }
  return all;
}

EvaluationValue measure(const Trial& trial, const MethodOptions&, std::span<const Reply> replies) {
  const int gold = trial.sample.gold >= 0 ? trial.sample.gold : replies.front().predicted;
  EvaluationValue made;
  std::vector<double> x;
  for (std::size_t j = 0; j < replies.size(); ++j) {
    x.push_back(static_cast<double>(j) / 10);
    made.curve.push_back(replies[j].predicted == gold ? 1 : 0);
  }
  made.value = 100 * trapezoid_area(x, made.curve);
  return made;
}

std::vector<double> points(const ModelInfo&, const MethodOptions&) {
  std::vector<double> x;
  for (int tenth = 0; tenth <= last_tenth; ++tenth) x.push_back(tenth / 10.0);
  return x;
}

}  // namespace

extern const Evaluation pixel_perturbation;
const Evaluation pixel_perturbation{
    .name = "pixel_perturbation",
    .summary = "Accuracy as pixels are made black, the highest of the map first.",
    .formula = "AUC = 100 ∫_0^0.9 accuracy(first share s of the pixels black) ds by trapezoids",
    .paper = "Chefer, Gur and Wolf, 2021: Transformer Interpretability Beyond Attention Visualization. CVPR",
    .better = Evaluation::Better::Lower,
    .turned_by = "order=least",
    .needs = Evaluation::Needs::Image,
    .options = {{"order", "most|least", "most",
                 "which pixels go first: the highest (positive perturbation) or the lowest (negative)"}},
    .curve_over = "share of pixels black",
    .asks = asks,
    .measure = measure,
    .points = points,
};

}  // namespace headwater
