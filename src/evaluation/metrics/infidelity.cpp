// Infidelity (Yeh et al., 2019) with units taken away: over random subsets S,
//
//   E_S [ (β Σ_{i ∈ S} score_i − (F(x) − F(x \ S)))² ]
//
// Every unit is in S with probability ½, whatever the others are; an empty S, which says nothing, is drawn
// again. β is 1, or what makes the mean least (optimal scaling: β = Σ ab / Σ a² with a the scores' sums and b
// the falls), because most methods' scores have no unit. Scores that are all 0 have the mean of b².
#include <algorithm>
#include <cmath>

#include "evaluation/metrics/evaluation.h"
#include "numerics/random.h"

namespace headwater {

namespace {

std::vector<Perturbation> subsets(const Sample& sample, int count) {
  const std::size_t n = sample.units.size();
  const std::uint64_t stream = random_stream(sample.seed, "infidelity");
  std::vector<Perturbation> all;
  for (int k = 0; k < count && n > 0; ++k) {
    RandomSequence random(random_bits(
        stream, (static_cast<std::uint64_t>(sample.number) << 24U) + static_cast<std::uint64_t>(k)));
    Perturbation made{.kept = std::vector<bool>(n)};
    do
      for (std::size_t u = 0; u < n; ++u) made.kept[u] = random.uniform() < 0.5;
    while (std::find(made.kept.begin(), made.kept.end(), false) == made.kept.end());
    all.push_back(std::move(made));
  }
  return all;
}

std::vector<Perturbation> asks(const Trial& trial, const MethodOptions& options) {
  std::vector<Perturbation> all{{.kept = std::vector<bool>(trial.scores.size(), true)}};
  for (Perturbation& made : subsets(trial.sample, options.integer("subsets"))) all.push_back(std::move(made));
  return all;
}

EvaluationValue measure(const Trial& trial, const MethodOptions& options, std::span<const Reply> replies) {
  if (trial.scores.empty()) return no_value();
  const std::vector<Perturbation> taken = subsets(trial.sample, options.integer("subsets"));
  std::vector<double> sums(taken.size(), 0.0), falls;
  double ab = 0, aa = 0;
  for (std::size_t k = 0; k < taken.size(); ++k) {
    for (std::size_t u = 0; u < trial.scores.size(); ++u)
      if (!taken[k].kept[u]) sums[k] += trial.scores[u];
    falls.push_back(quantity_in(replies[0], options) - quantity_in(replies[1 + k], options));
    ab += sums[k] * falls[k];
    aa += sums[k] * sums[k];
  }
  const double scale = options.text("scaled") == "no" ? 1 : aa > 0 ? ab / aa : 0;
  EvaluationValue made;
  for (std::size_t k = 0; k < taken.size(); ++k)
    made.value += std::pow(scale * sums[k] - falls[k], 2) / static_cast<double>(taken.size());
  return made;
}

}  // namespace

extern const Evaluation infidelity;
const Evaluation infidelity{
    .name = "infidelity",
    .summary =
        "How far the scores of random sets of units differ from what the output loses without these units.",
    .formula = "E_S[(β Σ_{i ∈ S} score_i − (F(x) − F(x without S)))²]",
    .paper =
        "Yeh, Hsieh, Suggala, Inouye and Ravikumar, 2019: On the (In)fidelity and Sensitivity of "
        "Explanations. "
        "NeurIPS",
    .better = Evaluation::Better::Lower,
    .options = {{"subsets", "integer", "50",
                 "number of random subsets; each unit is in a subset with probability ½, and none is empty",
                 1, 10000},
                {"scaled", "yes|no", "yes", "yes: β is the best scale; no: β is 1"},
                replace_option,
                measured_quantity},
    .asks = asks,
    .measure = measure,
};

}  // namespace headwater
