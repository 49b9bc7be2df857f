// Insertion (Petsiuk, Das & Saenko, 2018): the target's probability p as units come back, in the order of
// their scores, into an input from which all were taken. With k_j of n units back at step j,
//
//   AUC = Σ_j (x_j − x_{j−1}) (p_j + p_{j−1}) / 2,   x_j = k_j / n
//
// The most important first, it should rise soon: higher is better. The least important first, it should not.
#include "evaluation/metrics/evaluation.h"
#include "evaluation/trial/erasure.h"

namespace headwater {

namespace {

std::vector<Perturbation> asks(const Trial& trial, const MethodOptions& options) {
  const First first = options.text("order") == "least" ? First::Least : First::Most;
  const std::vector<std::size_t> order = erasure_order(trial.scores, first);
  std::vector<Perturbation> all;
  for (const std::size_t back : step_counts(order.size(), options.integer("steps")))
    all.push_back(only_first(order, back));
  return all;
}

EvaluationValue measure(const Trial& trial, const MethodOptions& options, std::span<const Reply> replies) {
  if (trial.scores.empty()) return no_value();
  std::vector<double> p;
  for (const Reply& reply : replies) p.push_back(quantity_in(reply, options));
  return step_curve(trial.scores.size(), options.integer("steps"), p);
}

std::vector<double> points(const ModelInfo&, const MethodOptions& options) {
  return step_points(options.integer("steps"));
}

}  // namespace

extern const Evaluation insertion;
const Evaluation insertion{
    .name = "insertion",
    .summary =
        "The target's probability as units are put back into an empty input, the most important first.",
    .formula = "AUC = ∫ p(the first share s of units alone) ds by trapezoids",
    .paper =
        "Petsiuk, Das and Saenko, 2018: RISE: Randomized Input Sampling for Explanation of Black-box Models. "
        "BMVC",
    .better = Evaluation::Better::Higher,
    .turned_by = "order=least",
    .options = {{"steps", "integer", "10", "equal steps from nothing to everything; 0: unit by unit", 0,
                 1000},
                {"order", "most|least", "most", "which units come first: the most or the least important"},
                replace_option,
                measured_quantity},
    .curve_over = "share of units present",
    .asks = asks,
    .measure = measure,
    .points = points,
};

}  // namespace headwater
