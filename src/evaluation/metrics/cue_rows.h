// Cue rows: what metrics that hold a row of scores against the cue words have in common.
#pragma once

#include <algorithm>
#include <vector>

#include "evaluation/metrics/evaluation.h"
#include "evaluation/trial/rationale.h"

namespace headwater {

using CueFigure = double (*)(const std::vector<double>& row, const std::vector<bool>& cues);

// The figure of every layer's row; the value is the last layer's. No value where no token is a cue.
template <CueFigure of>
EvaluationValue over_cues(const Trial& trial, const MethodOptions&, std::span<const Reply>) {
  const std::vector<bool> cues = cue_tokens(trial.sample, trial.rows.back().size());
  if (std::find(cues.begin(), cues.end(), true) == cues.end()) return no_value();
  EvaluationValue made;
  for (const std::vector<double>& row : trial.rows) made.curve.push_back(of(row, cues));
  made.value = made.curve.back();
  return made;
}

}  // namespace headwater
