// A gradient is a pull of ∂F/∂logits to the input. For points other than the input itself, a replay or an
// edit puts them in place: the model runs on n copies of the input, and the value at the place is replaced by
// the points. Rows that the output does not read have no signal, so both ways give the same bits.
//
// The check moves the input by ±h along the gradient's direction u = g/‖g‖:
//
//   F(x + h u) − F(x − h u)  =  g · 2h u  =  2h ‖g‖      up to O(h³) and η, the rounding of F
//
// A long step is affected by the curvature, a short one by the rounding. No token is moved by more than a
// share of its own length, because norms depend on that length. The step is quartered until two steps agree
// with each other and with the gradient, as long as η is small compared with 2h ‖g‖. Two steps that agree are
// free of curvature, so a gradient that is off by more than the tolerance and η allow does not agree by
// chance.
#include "explain/gradients.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "study/memory.h"
#include "tape/copies.h"

namespace headwater {

namespace {

// The places where the sequences enter their stacks.
std::vector<Place> places_of(const Study& study, Site at) {
  std::vector<Place> places;
  for (int s = 0; s <= study.written(); ++s) places.emplace_back(at, 0, s);
  return places;
}

// The signals of a pull where the sequences enter, [n, T, D].
Tensor arrived(const Study& study, Site at, const Signals& signals) {
  std::vector<Tensor> all;
  for (const Place& place : places_of(study, at)) all.push_back(signals.at(place));
  return joined_units(all);
}

Batch batch_of(const Study& study, const Objective& objective, Index copies) {
  Batch batch = repeated(study.batch(), copies);
  batch.positions = objective.positions();
  return batch;
}

// The longest step along u, as a share of the step that moves no token by more than its own length. Both are
// [T, D].
double longest_step(const std::vector<double>& x, const std::vector<double>& u, Index tokens) {
  const std::vector<double> lengths = reduce(x, tokens, Reduction::L2);
  const std::vector<double> moves = reduce(u, tokens, Reduction::L2);
  double most = 0;
  for (std::size_t t = 0; t < lengths.size(); ++t)
    if (lengths[t] > 0) most = std::max(most, moves[t] / lengths[t]);
  return most > 0 ? 1 / most : 1;
}

}  // namespace

std::vector<Edit> put_units(const Study& study, Site at, const Tensor& points) {
  std::vector<Edit> edits;
  for (const Place& place : places_of(study, at)) {
    const Tensor own = units_of_sequence(points, study.sequences()[as_size(place.stack)]);
    edits.push_back({place, [own](Tensor& value) {
                       require_shape("points", name_of(Site::Embed), own.shape(), value.shape());
                       value = own;
                     }});
  }
  return edits;
}

Site input_site(std::string_view name) {
  return name == "embed" ? Site::Embed : Site::ResidPre;
}

Reduction reduction_of(std::string_view name) {
  if (name == "sum") return Reduction::Sum;
  if (name == "abs_sum") return Reduction::AbsSum;
  return name == "max" ? Reduction::Max : Reduction::L2;
}

std::vector<double> reduce(std::span<const double> gradient, Index tokens, Reduction reduction) {
  const std::size_t T = as_size(tokens), D = gradient.size() / T;
  std::vector<double> scores(T, 0.0);
  for (std::size_t t = 0; t < T; ++t) {
    double sum = 0, squares = 0, largest = 0;
    for (const double g : gradient.subspan(t * D, D)) {
      sum += g;
      squares += g * g;
      largest = std::max(largest, std::abs(g));
    }
    const double by_reduction[] = {std::sqrt(squares), sum, std::abs(sum),
                                   largest};  // in the order of Reduction
    scores[t] = by_reduction[as_size(reduction)];
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
         "over the width. Use reduction=l2.";
}

std::size_t more_target_bytes(const Study& study) {
  if (!has_several_tokens(study.target())) return 0;
  return more_rows_bytes(study.info(), static_cast<Index>(target_rows(study.target()).size()));
}

Index copies_at_once(const Study& study, std::size_t bytes) {
  const std::size_t each = bytes + more_target_bytes(study);
  const auto fits = static_cast<Index>(study.scratch / std::max<std::size_t>(1, each));
  return std::max<Index>(1, std::min(fits, busy_tokens / std::max(1, study.size())));
}

Index objective_rows(const ModelInfo& info, Index tokens) {
  return info.task == Task::QuestionAnswering ? tokens : 1;
}

std::size_t gradient_bytes(const ModelInfo& info, Index tokens) {
  const Index rows = objective_rows(info, tokens);
  constexpr std::size_t notes = 5 << 10;  // records of the tape and a replay for a block: ops, copies, rows
  return planned_run_bytes(info, tokens, rows) + walk_bytes(info, tokens, rows, info.dtype) +
         as_size(info.last().layers) * notes;
}

std::size_t one_gradient_bytes(const ModelInfo& info, Index tokens) {
  const Index rows = objective_rows(info, tokens);
  // The walk, and for the check two copies of the input and their displacements, in double.
  const std::size_t check =
      2 * passing_bytes(info, tokens, rows) + 12 * as_size(tokens * info.last().width) * sizeof(double);
  return std::max(walk_bytes(info, tokens, rows, info.dtype) + packing_bytes(info, info.dtype), check) +
         3 * site_bytes(info, tokens, Site::ResidPre);
}

Tensor gradient_of(const Study& study, const Objective& objective, Site at) {
  const Run& run = study.run();
  const Signals signals =
      run.tape->pull(run.logits, objective.seed(run.logits.value, study.batch().positions), rules::gradient,
                     places_of(study, at));
  const Tensor gradient = arrived(study, at, signals);  // [1, T, D]
  return gradient.reshaped(gradient.shape().without_front());
}

namespace {

// The gradient by a replay over the study's kept run, which skips rows that the output does not read; nothing
// if there is no such run, or if its task head computed other rows.
std::optional<Points> replayed_gradients(const Study& study, const Objective& objective, Site at,
                                         const Tensor& points) {
  const std::vector<int> positions = objective.positions();
  if (!study.tape().has({Site::Logits, 0}) || study.written() > 0 || positions != study.batch().positions)
    return std::nullopt;
  const Run& run = study.run();
  const Changed changed{.at = run.tape->at(at, 0), .copies = points};
  Tape tape;
  const Replayed replayed = run.tape->replay({&changed, 1}, run.logits, tape);
  if (replayed.entries.front().rows) return std::nullopt;
  const Tensor& logits = replayed.value.value;
  const Tensor seeds = objective.seed(logits, positions);
  const Signals signals = tape.pull(replayed.value, seeds, rules::gradient, places_of(study, at));
  return Points{objective.values(logits, positions), arrived(study, at, signals),
                Objective::rounding(seeds, logits)};
}

}  // namespace

Points gradients_at(const Study& study, const Objective& objective, Site at, const Tensor& points) {
  if (std::optional<Points> replayed = replayed_gradients(study, objective, at, points)) return *replayed;
  Tape tape(Keep::Everything, put_units(study, at, points));
  const Batch batch = batch_of(study, objective, points.dim(0));
  const Var logits = study.model().run(tape, batch);
  const Tensor seeds = objective.seed(logits.value, batch.positions);
  const Signals signals = tape.pull(logits, seeds, rules::gradient, places_of(study, at));
  return {objective.values(logits.value, batch.positions), arrived(study, at, signals),
          Objective::rounding(seeds, logits.value)};
}

std::vector<double> values_at(const Study& study, const Objective& objective, Site at, const Tensor& points) {
  Tape tape(Keep::Nothing, put_units(study, at, points));
  const Batch batch = batch_of(study, objective, points.dim(0));
  return objective.values(study.model().run(tape, batch).value, batch.positions);
}

Check check_gradient(const Study& study, const Objective& objective, Site at, const Tensor& gradient) {
  const std::vector<double> g = gradient.to_doubles(), x = study.input(at).to_doubles();
  Check check{.name = "gradient equals a finite difference along itself"};
  const double slope = std::sqrt(std::inner_product(g.begin(), g.end(), g.begin(), 0.0));
  if (slope == 0) return check;
  std::vector<double> u;
  for (const double v : g) u.push_back(v / slope);
  const bool single = gradient.dtype() == DType::Float32;
  const double tolerance = single ? 0.02 : 1e-4;
  const Tensor logits = study.logits();
  const double rounding = Objective::rounding(objective.seed(logits, study.batch().positions), logits);
  double before = std::nan("");  // the result of the longer step
  for (double h = (single ? 4e-3 : 1e-4) * longest_step(x, u, gradient.dim(0));; h /= 4) {
    std::vector<double> moved;
    for (const double sign : {1.0, -1.0})
      for (std::size_t i = 0; i < x.size(); ++i) moved.push_back(x[i] + sign * h * u[i]);
    const Tensor points = Tensor::of(gradient.shape().with_front(2), moved, gradient.dtype());
    const std::vector<double> f = values_at(study, objective, at, points), went = points.to_doubles();
    double expected = 0;  // from the actual displacement, because the working type rounds the points
    for (std::size_t i = 0; i < g.size(); ++i) expected += g[i] * (went[i] - went[i + g.size()]);
    const double noise = rounding / (2 * h * slope);
    const double ratio = (f[0] - f[1]) / expected;
    check.value = std::abs(ratio - 1);
    check.bound = tolerance + noise;
    check.passed = check.value <= check.bound && std::abs(ratio - before) <= check.bound;
    if (check.passed || noise > tolerance / 2) return check;
    before = ratio;
  }
}

}  // namespace headwater
