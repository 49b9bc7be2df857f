// Sensitivity-n (Ancona et al., 2018): over random subsets S of n units, Pearson's correlation of
//
//   Σ_{i ∈ S} score_i   with   F(x) − F(x \ S)
//
// for several n, and the mean of these. Subsets are the same for all methods. No value where scores or
// answers are all alike.
#include <cmath>

#include "evaluation/metrics/erasure_curves.h"
#include "numerics/random.h"
#include "numerics/rank_correlation.h"

namespace headwater {

namespace {

// `count` subsets for every share, in turn; subset k depends on the example, the share and k alone.
std::vector<Perturbation> subsets(const Sample& sample, const std::vector<int>& shares, int count) {
  const std::size_t n = sample.units.size();
  std::vector<Perturbation> all;
  for (const int share : shares)
    for (int k = 0; k < count; ++k) {
      const std::uint64_t stream = random_stream(sample.seed, "sensitivity_n");
      RandomSequence random(random_bits(stream, (static_cast<std::uint64_t>(sample.number) << 24U) +
                                                    (static_cast<std::uint64_t>(share) << 16U) +
                                                    static_cast<std::uint64_t>(k)));
      Perturbation made{.kept = random.choice(n, share_count(n, share))};
      made.kept.flip();
      all.push_back(std::move(made));
    }
  return all;
}

std::vector<Perturbation> asks(const Trial& trial, const MethodOptions& options) {
  std::vector<Perturbation> all{{.kept = std::vector<bool>(trial.scores.size(), true)}};
  for (Perturbation& made : subsets(trial.sample, parsed_shares(options), options.integer("subsets")))
    all.push_back(std::move(made));
  return all;
}

EvaluationValue measure(const Trial& trial, const MethodOptions& options, std::span<const Reply> replies) {
  if (trial.scores.empty()) return no_value();
  const auto count = static_cast<std::size_t>(options.integer("subsets"));
  const std::vector<Perturbation> taken =
      subsets(trial.sample, parsed_shares(options), options.integer("subsets"));
  EvaluationValue made;
  double defined = 0;
  for (std::size_t begin = 0; begin < taken.size(); begin += count) {
    std::vector<double> sums(count, 0.0), falls;
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t u = 0; u < trial.scores.size(); ++u)
        if (!taken[begin + k].kept[u]) sums[k] += trial.scores[u];
      falls.push_back(quantity_in(replies[0], options) - quantity_in(replies[1 + begin + k], options));
    }
    made.curve.push_back(pearson(sums, falls));
    if (std::isnan(made.curve.back())) continue;
    made.value += made.curve.back();
    ++defined;
  }
  made.value /= defined;  // 0/0: nowhere defined
  return made;
}

}  // namespace

extern const Evaluation sensitivity_n;
const Evaluation sensitivity_n{
    .name = "sensitivity_n",
    .summary =
        "How well the scores of random sets of units correlate with what the output loses without these "
        "units.",
    .formula = "corr_S(Σ_{i ∈ S} score_i, F(x) − F(x without S)), |S| = n",
    .paper =
        "Ancona, Ceolini, Öztireli and Gross, 2018: Towards Better Understanding of Gradient-based "
        "Attribution "
        "Methods for Deep Neural Networks. ICLR",
    .better = Evaluation::Better::Higher,
    .options = {{"shares", "text", "10,30,50,70,90",
                 "n as percentages of the units, rounded up; the figure is the mean over them"},
                {"subsets", "integer", "20", "number of random subsets of each size", 2, 10000},
                replace_option,
                measured_quantity},
    .curve_over = "share of units removed",
    .asks = asks,
    .measure = measure,
    .points = share_points,
};

}  // namespace headwater
