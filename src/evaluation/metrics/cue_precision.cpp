// Plausibility on cue words (Mohebbi et al., 2023): the average precision of ζ, 1 at the first token of every
// cue word, ranked by the row s of the method's map at the target,
//
//   AP = Σ_n (R_n − R_{n−1}) P_n
//
// tied scores sharing one threshold; per layer, the figure is the last layer's.
#include <algorithm>

#include "evaluation/metrics/evaluation.h"
#include "evaluation/trial/rationale.h"
#include "numerics/ranking_quality.h"

namespace headwater {

namespace {

EvaluationValue measure(const Trial& trial, const MethodOptions&, std::span<const Reply>) {
  const std::vector<bool> cues = cue_tokens(trial.sample, trial.rows.back().size());
  if (std::find(cues.begin(), cues.end(), true) == cues.end()) return no_value();
  EvaluationValue made;
  for (const std::vector<double>& row : trial.rows) made.curve.push_back(cue_average_precision(row, cues));
  made.value = made.curve.back();
  return made;
}

}  // namespace

extern const Evaluation cue_precision;
const Evaluation cue_precision{
    .name = "cue_precision",
    .summary = "How well the target's row ranks the cue words first, layer by layer.",
    .formula = "AP = Σ_n (R_n − R_{n−1}) P_n of the cue tokens ranked by the row at the target",
    .paper =
        "Mohebbi, Zuidema, Chrupała and Alishahi, 2023: Quantifying Context Mixing in Transformers. EACL",
    .better = Evaluation::Better::Higher,
    .needs = Evaluation::Needs::Cues,
    .curve_over = "layer",
    .measure = measure,
    .points = layer_points,
};

}  // namespace headwater
