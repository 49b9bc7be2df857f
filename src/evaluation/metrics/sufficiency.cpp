// Sufficiency (DeYoung et al., 2020), over several shares (AOPC): with r_s the top s % of the units, rounded
// up,
//
//   1/|S| Σ_{s ∈ S} p(x) − p(r_s alone)
//
// What an explanation names should be enough for the answer: lower is better.
#include "evaluation/metrics/evaluation.h"
#include "evaluation/trial/erasure.h"

namespace headwater {

namespace {

std::vector<Perturbation> asks(const Trial& trial, const MethodOptions& options) {
  const std::vector<std::size_t> order = erasure_order(trial.scores, First::Most);
  std::vector<Perturbation> all{without_first(order, 0)};
  for (const int share : parsed_shares(options.text("shares"), "sufficiency: option shares"))
    all.push_back(only_first(order, share_count(order.size(), share)));
  return all;
}

EvaluationValue measure(const Trial& trial, const MethodOptions&, std::span<const Reply> replies) {
  if (trial.scores.empty()) return no_value();
  EvaluationValue made;
  for (const Reply& reply : replies.subspan(1)) {
    made.curve.push_back(replies.front().probability - reply.probability);
    made.value += made.curve.back() / static_cast<double>(replies.size() - 1);
  }
  return made;
}

std::vector<double> points(const ModelInfo&, const MethodOptions& options) {
  std::vector<double> x;
  for (const int share : parsed_shares(options.text("shares"), "sufficiency: option shares"))
    x.push_back(share / 100.0);
  return x;
}

}  // namespace

extern const Evaluation sufficiency;
const Evaluation sufficiency{
    .name = "sufficiency",
    .summary = "How far the target's probability falls when only the most important units are kept.",
    .formula = "1/|S| Σ_{s ∈ S} p(x) − p(the top s % of units alone)",
    .paper =
        "DeYoung, Jain, Rajani, Lehman, Xiong, Socher and Wallace, 2020: ERASER: A Benchmark to Evaluate "
        "Rationalized NLP Models. ACL",
    .better = Evaluation::Better::Lower,
    .options = {{"shares", "text", "1,5,10,20,50",
                 "percentages of the units, each rounded up; the figure is the mean over them"},
                replace_option},
    .curve_over = "share of units kept",
    .asks = asks,
    .measure = measure,
    .points = points,
};

}  // namespace headwater
