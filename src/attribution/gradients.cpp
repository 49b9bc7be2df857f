// A gradient is a pull of ∂F/∂logits to the input. Other points than the input itself are put in by an edit:
// the model runs on n copies of the input, and the value at the place is replaced by the points.
//
// The check moves the input by ±h along the gradient's direction u = g/‖g‖:
//
//   (F(x + h u) − F(x − h u)) / 2h  =  g · u  =  ‖g‖      up to O(h²) and rounding of F
#include "attribution/gradients.h"

#include <algorithm>
#include <cmath>

#include <headwater/error.h>

#include "study/memory.h"

namespace headwater {

namespace {

Edit put(Place at, const Tensor& points) {
  return {at.site, at.layer, [points](Tensor& value) {
            require_shape("points", name_of(Site::Embed), points.shape(), value.shape());
            value = points;
          }};
}

Batch batch_of(const Study& study, const Objective& objective, Index copies) {
  Batch batch = repeated(study.batch(), copies);
  batch.positions = objective.positions();
  return batch;
}

}  // namespace

Place input_place(std::string_view name) {
  return {name == "embed" ? Site::Embed : Site::ResidPre, 0};
}

Reduction reduction_of(std::string_view name) {
  if (name == "sum") return Reduction::Sum;
  if (name == "abs_sum") return Reduction::AbsSum;
  return name == "max" ? Reduction::Max : Reduction::L2;
}

std::vector<double> reduce(std::span<const double> gradient, Index tokens, Reduction reduction) {
  const std::size_t T = static_cast<std::size_t>(tokens), D = gradient.size() / T;
  std::vector<double> scores(T, 0.0);
  for (std::size_t t = 0; t < T; ++t) {
    double sum = 0, squares = 0, largest = 0;
    for (const double g : gradient.subspan(t * D, D)) {
      sum += g;
      squares += g * g;
      largest = std::max(largest, std::abs(g));
    }
    switch (reduction) {
      case Reduction::L2:
        scores[t] = std::sqrt(squares);
        break;
      case Reduction::Sum:
        scores[t] = sum;
        break;
      case Reduction::AbsSum:
        scores[t] = std::abs(sum);
        break;
      case Reduction::Max:
        scores[t] = largest;
        break;
    }
  }
  return scores;
}

std::string cancelled_sums_note(std::span<const double> gradient, Index tokens, Reduction reduction) {
  if (reduction != Reduction::Sum && reduction != Reduction::AbsSum) return {};
  double sum = 0, length = 0;
  for (const double v : reduce(gradient, tokens, Reduction::AbsSum)) sum = std::max(sum, v);
  for (const double v : reduce(gradient, tokens, Reduction::L2)) length = std::max(length, v);
  if (length == 0 || sum > 1e-5 * length) return {};
  return "The sums are rounding noise: the norms of this model subtract the mean, so that gradients sum to 0 "
         "over "
         "the width. Use reduction=l2.";
}

Batch repeated(const Batch& one, Index copies) {
  const auto n = static_cast<std::size_t>(copies);
  Batch batch{.positions = one.positions};
  if (!one.ids.empty()) batch.ids.assign(n, one.ids.front());
  if (!one.type_ids.empty()) batch.type_ids.assign(n, one.type_ids.front());
  if (one.pixels.empty()) return batch;
  batch.pixels = Tensor(one.pixels.shape().without_front().with_front(copies), one.pixels.dtype());
  dispatch(one.pixels.dtype(), [&](auto r) {
    using R = decltype(r);
    const auto from = one.pixels.values<R>();
    R* to = batch.pixels.data<R>();
    for (std::size_t k = 0; k < n; ++k) to = std::copy(from.begin(), from.end(), to);
  });
  return batch;
}

std::size_t more_target_bytes(const Study& study) {
  if (!has_several_tokens(study.target())) return 0;
  return more_rows_bytes(study.info(), static_cast<Index>(rows_of(study.target()).size()));
}

Index copies_at_once(const Study& study, std::size_t bytes) {
  const std::size_t each = bytes + more_target_bytes(study);
  const auto fits = static_cast<Index>(study.scratch / std::max<std::size_t>(1, each));
  return std::max<Index>(1, std::min(fits, busy_tokens / std::max(1, study.tokens())));
}

Index objective_rows(const ModelInfo& info, Index tokens) {
  return info.task == Task::QuestionAnswering ? tokens : 1;
}

std::size_t gradient_bytes(const ModelInfo& info, Index tokens) {
  const Index rows = objective_rows(info, tokens);
  return planned_run_bytes(info, tokens, rows) + passing_bytes(info, tokens, rows);
}

Tensor gradient_of(const Study& study, const Objective& objective, Place at) {
  const Run& run = study.run();
  const Signals signals =
      run.tape->pull(run.logits, objective.seed(run.logits.value, study.batch().positions), rules::gradient,
                     {{at.site, at.layer}});
  const Tensor& gradient = signals.at(at.site, at.layer);  // [1, T, D]
  return gradient.reshaped(gradient.shape().without_front());
}

Points gradients_at(const Study& study, const Objective& objective, Place at, const Tensor& points) {
  Tape tape(Keep::Everything, {put(at, points)});
  const Batch batch = batch_of(study, objective, points.dim(0));
  const Var logits = study.model().run(tape, batch);
  const Signals signals = tape.pull(logits, objective.seed(logits.value, batch.positions), rules::gradient,
                                    {{at.site, at.layer}});
  return {objective.values(logits.value, batch.positions), signals.at(at.site, at.layer)};
}

std::vector<double> values_at(const Study& study, const Objective& objective, Place at,
                              const Tensor& points) {
  Tape tape(Keep::Nothing, {put(at, points)});
  const Batch batch = batch_of(study, objective, points.dim(0));
  return objective.values(study.model().run(tape, batch).value, batch.positions);
}

Check check_gradient(const Study& study, const Objective& objective, Place at, const Tensor& gradient) {
  const std::vector<double> g = gradient.to_doubles(), x = study.at(at.site, at.layer).to_doubles();
  const auto length = [](const std::vector<double>& v) {
    double squares = 0;
    for (const double e : v) squares += e * e;
    return std::sqrt(squares);
  };
  Check check{.name = "gradient equals a finite difference along itself"};
  const double slope = length(g);
  if (slope == 0) return check;
  const bool single = gradient.dtype() == DType::Float32;
  const double h = (single ? 1e-3 : 1e-5) * std::max(length(x), 1e-30);
  std::vector<double> moved;
  for (const double sign : {1.0, -1.0})
    for (std::size_t i = 0; i < x.size(); ++i) moved.push_back(x[i] + sign * h * g[i] / slope);
  const Tensor points = Tensor::of(gradient.shape().with_front(2), moved, gradient.dtype());
  const std::vector<double> f = values_at(study, objective, at, points);
  double largest = 1;  // F is rounded as the logits it is made of are
  for (const double z : study.logits().to_doubles()) largest = std::max(largest, std::abs(z));
  check.value = std::abs((f[0] - f[1]) / (2 * h) / slope - 1);
  check.bound = (single ? 0.02 : 1e-4) + 64 * epsilon_of(gradient.dtype()) * largest / (h * slope);
  check.passed = check.value <= check.bound;
  return check;
}

}  // namespace headwater
