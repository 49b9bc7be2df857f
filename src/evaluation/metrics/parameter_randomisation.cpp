// Cascading parameter randomisation (Adebayo et al., 2018): the head and then more and more blocks from the
// top are untrained, at the last stage the whole model, and the same target is explained again. With a the
// scores of the model and b those of the changed one,
//
//   |ρ(a, b)|   Spearman, per stage; the figure is the last stage's
//
// An explanation that stays does not depend on what the model has learned: lower is better. Where one side
// has no order there is no likeness: 0.
#include <cmath>

#include "evaluation/metrics/evaluation.h"
#include "numerics/rank_correlation.h"

namespace headwater {

namespace {

// From the head alone to everything.
std::vector<Variation> variations(const ModelInfo& info, const MethodOptions& options) {
  const int stages = options.integer("stages");
  std::vector<Variation> all;
  for (int stage = 1; stage < stages; ++stage)
    all.push_back(
        {Variation::Kind::Randomised, info.last().layers - info.last().layers * (stage - 1) / (stages - 1)});
  all.push_back({Variation::Kind::Randomised, -1});
  return all;
}

EvaluationValue measure(const Trial& trial, const MethodOptions&, std::span<const Reply>) {
  if (trial.scores.size() < 2) return no_value();
  EvaluationValue made;
  for (const std::vector<double>& other : trial.varied) {
    const double likeness = std::abs(spearman(trial.scores, other));
    made.curve.push_back(std::isnan(likeness) ? 0 : likeness);
  }
  made.value = made.curve.back();
  return made;
}

std::vector<double> points(const ModelInfo&, const MethodOptions& options) {
  std::vector<double> x;
  for (int stage = 1; stage <= options.integer("stages"); ++stage) x.push_back(stage);
  return x;
}

}  // namespace

extern const Evaluation parameter_randomisation;
const Evaluation parameter_randomisation{
    .name = "parameter_randomisation",
    .summary = "How similar an explanation stays as the model's weights are randomised from the top down.",
    .formula =
        "|ρ(scores, scores of the model with untrained upper blocks)|, Spearman; last stage: all untrained",
    .paper =
        "Adebayo, Gilmer, Muelly, Goodfellow, Hardt and Kim, 2018: Sanity Checks for Saliency Maps. NeurIPS",
    .better = Evaluation::Better::Lower,
    .options = {{"stages", "integer", "3",
                 "number of stages from the task head alone to the whole model; each keeps a model in memory",
                 1, 100}},
    .curve_over = "stage of randomisation",
    .variations = variations,
    .measure = measure,
    .points = points,
};

}  // namespace headwater
