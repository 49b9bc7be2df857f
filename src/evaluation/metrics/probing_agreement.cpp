// Agreement with probing (the third evaluation of Mohebbi et al., 2023): over the layers, Spearman's ρ of
//
//   the mean share of the target's row that goes to the cue words   and   the accuracy of a probe
//
// that reads the cue's number off the masked target. Where a map says the cue is mixed in, the number should
// be there to be read. The paper codes with an online probe; this one is linear, and every example is told by
// a fit without it. Methods with one row have no layers to compare: no value.
#include <algorithm>
#include <cmath>
#include <limits>

#include "evaluation/metrics/evaluation.h"
#include "evaluation/trial/rationale.h"
#include "numerics/rank_correlation.h"

namespace headwater {

namespace {

// Shares on the cue, then whether the probe is right, layer by layer.
EvaluationValue measure(const Trial& trial, const MethodOptions&, std::span<const Reply>) {
  const std::vector<bool>& right = trial.sample.probe_right;
  const std::vector<bool> cues = cue_tokens(trial.sample, trial.rows.back().size());
  if (right.size() < 2 || trial.rows.size() != right.size() ||
      std::find(cues.begin(), cues.end(), true) == cues.end())
    return no_value();
  EvaluationValue made;
  for (const std::vector<double>& row : trial.rows) {
    const double share = share_on_cues(row, cues);
    made.parts.push_back(std::isnan(share) ? 0 : share);
  }
  for (const bool one : right) made.parts.push_back(one ? 1 : 0);
  return made;
}

double combine(std::span<const double> sums) {
  if (sums.size() % 2 != 0) return std::numeric_limits<double>::quiet_NaN();  // kept by something else
  return spearman(sums.first(sums.size() / 2), sums.subspan(sums.size() / 2));
}

}  // namespace

extern const Evaluation probing_agreement;
const Evaluation probing_agreement{
    .name = "probing_agreement",
    .summary = "Whether the layers that mix in the cue are those from which a probe can read it.",
    .formula =
        "ρ_layers(mean share on the cue words, accuracy of a linear probe of the cue's number), Spearman",
    .paper =
        "Mohebbi, Zuidema, Chrupała and Alishahi, 2023: Quantifying Context Mixing in Transformers. EACL",
    .better = Evaluation::Better::Higher,
    .needs = Evaluation::Needs::Cues,
    .probes = true,
    .measure = measure,
    .combine = combine,
};

}  // namespace headwater
