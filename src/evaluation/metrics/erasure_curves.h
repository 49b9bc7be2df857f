// Curves of erasure: what metrics that remove units, and metrics that put them back, have in common. The order
// is given by the scores; `Erasure` says what becomes of the first units of it.
#pragma once

#include <vector>

#include "evaluation/metrics/evaluation.h"
#include "evaluation/trial/erasure.h"

namespace headwater {

using Erasure = Perturbation (*)(const std::vector<std::size_t>& order, std::size_t count);

// Over shares of the units, the most important first: the fall p(x) − p_s of the target's probability at each
// share s, and the mean of the falls.
inline constexpr MethodOption shares_option{
    "shares", "text", "1,5,10,20,50",
    "percentages of the units, each rounded up; the figure is the mean over them"};

template <Erasure erase>
std::vector<Perturbation> asks_at_shares(const Trial& trial, const MethodOptions& options) {
  const std::vector<std::size_t> order = erasure_order(trial.scores, First::Most);
  std::vector<Perturbation> all{without_first(order, 0)};
  for (const int share : parsed_shares(options))
    all.push_back(erase(order, share_count(order.size(), share)));
  return all;
}

inline EvaluationValue falls_at_shares(const Trial& trial, const MethodOptions&,
                                       std::span<const Reply> replies) {
  if (trial.scores.empty()) return no_value();
  EvaluationValue made;
  for (const Reply& reply : replies.subspan(1)) {
    made.curve.push_back(replies.front().probability - reply.probability);
    made.value += made.curve.back() / static_cast<double>(replies.size() - 1);
  }
  return made;
}

inline std::vector<double> share_points(const ModelInfo&, const MethodOptions& options) {
  std::vector<double> x;
  for (const int share : parsed_shares(options)) x.push_back(share / 100.0);
  return x;
}

// Over equal steps from nothing to everything, in the order asked for. With k_j of n units used at step j and
// F the quantity asked for, the figure is the area by trapezoids,
//
//   AUC = Σ_j (x_j − x_{j−1}) (F_j + F_{j−1}) / 2,   x_j = k_j / n
inline constexpr MethodOption steps_option{
    "steps", "integer", "10", "equal steps from nothing to everything; 0: unit by unit", 0, 1000};

template <Erasure erase>
std::vector<Perturbation> asks_at_steps(const Trial& trial, const MethodOptions& options) {
  const First first = options.text("order") == "least" ? First::Least : First::Most;
  const std::vector<std::size_t> order = erasure_order(trial.scores, first);
  std::vector<Perturbation> all;
  for (const std::size_t count : step_counts(order.size(), options.integer("steps")))
    all.push_back(erase(order, count));
  return all;
}

inline EvaluationValue area_over_steps(const Trial& trial, const MethodOptions& options,
                                       std::span<const Reply> replies) {
  if (trial.scores.empty()) return no_value();
  std::vector<double> values;
  for (const Reply& reply : replies) values.push_back(quantity_in(reply, options));
  return step_curve(trial.scores.size(), options.integer("steps"), values);
}

inline std::vector<double> points_of_steps(const ModelInfo&, const MethodOptions& options) {
  return step_points(options.integer("steps"));
}

}  // namespace headwater
