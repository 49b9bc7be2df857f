// If a·A replaces the attention A of a layer, its mix is z(a) = a concat_h(A_h V_h), which is linear in a. A
// point therefore enters at the mix, and only what follows it is run, forward and back. dF/da = ⟨∂F/∂z, z⟩.
//
// All points run together as one replay: where points of several layers meet they continue as one batch. If
// the task head reads single rows, the last block is computed only for these.
#include "explain/attention_slopes.h"

#include <algorithm>
#include <cmath>

#include "explain/gradients.h"
#include "ops/ops.h"
#include "study/memory.h"

namespace headwater {

namespace {

constexpr double most_growth = 4;  // beyond this, nodes crowd where nothing is known to happen

// Floating-point operations of the products, forward and back: a product costs as much again for each factor
// that is followed, and a weight is never followed. `rows` is the number of rows for which queries and the
// feed-forward layer are computed.
double feed_forward_flop(const ModelInfo& info, bool gated, double rows) {
  return 2 * (gated ? 3 : 2) * 2.0 * static_cast<double>(info.last().width) *
         static_cast<double>(info.last().feed_forward) * rows;
}

double output_flop(const ModelInfo& info, double rows) {
  return 2 * 2.0 * static_cast<double>(info.last().width) * info.last().heads * info.last().head_width * rows;
}

double block_flop(const ModelInfo& info, bool gated, double rows, double tokens) {
  const double heads = static_cast<double>(info.last().heads) * info.last().head_width;
  const double groups = static_cast<double>(info.last().groups) * info.last().head_width;
  const double projections =
      2 * 2.0 * static_cast<double>(info.last().width) * 2 * (heads * rows + groups * tokens);
  return projections + 3 * 4 * rows * tokens * heads + feed_forward_flop(info, gated, rows);
}

double inner_product(const Tensor& a, const Tensor& b) {
  return dispatch(a.dtype(), [&]<class R>(R) {
    const R *x = a.data<R>(), *y = b.data<R>();
    double sum = 0;
    for (Index i = 0; i < a.size(); ++i) sum += static_cast<double>(x[i]) * static_cast<double>(y[i]);
    return sum;
  });
}

// [n, T, H·E]: the mix, scaled by each share.
Tensor scaled_copies(const Tensor& mix, std::span<const ScaledAttention> points) {
  Tensor copies(mix.shape().without_front().with_front(static_cast<Index>(points.size())), mix.dtype());
  dispatch(mix.dtype(), [&]<class R>(R) {
    R* to = copies.data<R>();
    for (const ScaledAttention& point : points) {
      kernels::scale(mix.data<R>(), point.share, to, mix.size());
      to += mix.size();
    }
  });
  return copies;
}

bool has_gate(const Tape& tape) {
  const Origin out = tape.op_at({Site::MlpOut, 0});
  return !out.inputs.empty() && is_multiply(tape.origin_of(out.inputs[0]).op);
}

}  // namespace

AttentionSlopes::AttentionSlopes(const Study& study, const Objective& objective)
    : study_(study),
      objective_(objective),
      steps_(mixing_steps(study.info())),
      positions_(objective.positions()),
      read_(study.tape().rows_read(study.tape().spot(Site::Logits),
                                   {Site::ResidPost, study.info().last().layers - 1, study.written()},
                                   study.logit_rows(positions_))),
      gated_(has_gate(study.tape())) {}

Place AttentionSlopes::mix_of(int layer) const {
  const auto& [kind, own] = steps_[as_size(layer)];
  return kind.at(kind.sites.z, own);
}

Replayed AttentionSlopes::replay(std::span<const ScaledAttention> points, Tape& onto) const {
  const Tape& tape = study_.tape();
  std::vector<Changed> changes;
  while (!points.empty()) {
    const int layer = points.front().layer;
    const auto end = std::find_if(points.begin(), points.end(),
                                  [layer](const ScaledAttention& p) { return p.layer != layer; });
    const auto own = points.first(as_size(end - points.begin()));
    changes.push_back({tape.spot(mix_of(layer)), scaled_copies(study_.at(mix_of(layer)), own)});
    points = points.subspan(own.size());
  }
  return tape.replay(
      changes, tape.spot(Site::Logits), onto,
      {.rows = study_.logit_rows(positions_), .missing = [this](Place place) { return study_.at(place); }});
}

std::vector<Slope> AttentionSlopes::at(std::span<const ScaledAttention> points,
                                       const std::function<void(double)>& advance) {
  std::vector<Slope> slopes;
  for (const auto all = static_cast<double>(points.size()); !points.empty();) {
    advance(static_cast<double>(slopes.size()) / all);
    const auto some = points.first(fitting(points));
    Tape tape;
    const Replayed again = replay(some, tape);
    const Tensor& logits = again.value.value;
    const Tensor seeds = objective_.seed(logits, positions_);
    const std::vector<double> values = objective_.values(logits, positions_);
    std::vector<Var> entries;
    for (const Replayed::Entry& entry : again.entries) entries.push_back(entry.var);
    const Signals signals = tape.pull_to(entries, again.value, seeds, rules::gradient);
    Index k = 0;
    for (const Replayed::Entry& entry : again.entries) {
      const Tensor& found = signals.of(entry.var);
      for (Index i = 0; i < found.dim(0); ++i, ++k) {
        const int layer = some[as_size(k)].layer;
        Tensor gradient = all_rows(found.rows(i, 1), entry.rows, layer);
        const double along = inner_product(gradient, study_.at(mix_of(layer)));
        slopes.push_back({.gradient = std::move(gradient),
                          .along = along,
                          .value = values[as_size(k)],
                          .rounding = Objective::rounding(seeds.rows(k, 1), logits.rows(k, 1))});
        flop_ += cost_of(layer);
      }
    }
    points = points.subspan(some.size());
  }
  return slopes;
}

// The gradient at a mix of which only some rows were computed; it is 0 at the others.
Tensor AttentionSlopes::all_rows(const Tensor& gradient, const Rows& rows, int layer) const {
  if (!rows) return gradient.clone();
  const Tensor mix = study_.at(mix_of(layer));
  Tensor all = Tensor::zeros(mix.shape(), mix.dtype());
  dispatch(mix.dtype(), [&]<class R>(R) {
    const Index width = mix.dim(2);
    for (Index k = 0; k < gradient.dim(1); ++k)
      kernels::accumulate(gradient.data<R>() + k * width, all.data<R>() + (*rows)[as_size(k)] * width, width);
  });
  return all;
}

std::vector<double> AttentionSlopes::values(std::span<const ScaledAttention> points) {
  std::vector<double> values;
  while (!points.empty()) {
    const auto some = points.first(fitting(points));
    Tape tape(Keep::Nothing);
    const Tensor logits = replay(some, tape).value.value;
    for (const double value : objective_.values(logits, positions_)) values.push_back(value);
    for (const ScaledAttention& point : some) flop_ += cost_of(point.layer) / 2;
    points = points.subspan(some.size());
  }
  return values;
}

std::vector<Tensor> AttentionSlopes::whole_gradients() {
  Batch batch = study_.batch();
  batch.positions = positions_;
  std::vector<Place> wanted;
  for (int l = 0; l < static_cast<int>(steps_.size()); ++l) wanted.push_back(mix_of(l));
  Tape tape;
  const Var logits = study_.model().run(tape, batch);
  const Signals signals =
      tape.pull(logits, objective_.seed(logits.value, positions_), rules::gradient, wanted);
  std::vector<Tensor> gradients;
  for (const Place& place : wanted) gradients.push_back(signals.at(place));
  flop_ +=
      static_cast<double>(steps_.size()) * block_flop(study_.info(), gated_, study_.size(), study_.size());
  return gradients;
}

Slope AttentionSlopes::whole(int layer, Tensor gradient) const {
  const double along = inner_product(gradient, study_.at(mix_of(layer)));
  return {.gradient = std::move(gradient), .along = along, .value = objective_.value()};
}

double AttentionSlopes::cost_of(int layer) const {
  const ModelInfo& info = study_.info();
  const double tokens = study_.size(), last = read_ ? static_cast<double>(read_->size()) : tokens;
  const int last_one = static_cast<int>(steps_.size()) - 1;
  if (layer == last_one) return output_flop(info, last) + feed_forward_flop(info, gated_, last);
  return output_flop(info, tokens) + feed_forward_flop(info, gated_, tokens) +
         (last_one - layer - 1) * block_flop(info, gated_, tokens, tokens) +
         block_flop(info, gated_, last, tokens);
}

double AttentionSlopes::growth(int layer) const {
  const auto& [kind, own] = steps_[as_size(layer)];
  const Place added = kind.at(kind.sites.out, own);
  const Tensor stream = study_.at(kind.at(kind.before, own)), attended = study_.at(added);
  const LinearWeights* out = as_linear(study_.tape().op_at(added).op);
  const Tensor bias = out == nullptr ? Tensor() : out->bias;
  const Index T = stream.dim(1), D = stream.dim(2);
  return dispatch(stream.dtype(), [&]<class R>(R) {
    const R *x = stream.data<R>(), *o = attended.data<R>(), *b = bias.empty() ? nullptr : bias.data<R>();
    double sum = 0;
    for (Index t = 0; t < T; ++t) {
      double before = 0, gained = 0;
      for (Index d = 0; d < D; ++d) {
        const double of_bias = b == nullptr ? 0 : static_cast<double>(b[d]);
        const double base = static_cast<double>(x[t * D + d]) + of_bias;
        const double more = static_cast<double>(o[t * D + d]) - of_bias;
        before += base * base;
        gained += more * more;
      }
      if (before > 0) sum += std::sqrt(gained / before);
    }
    return std::min(most_growth, sum / static_cast<double>(T));
  });
}

int AttentionSlopes::layers_together(int first, std::size_t points) const {
  const std::size_t slope = site_bytes(study_.info(), study_.size(), Site::Z);
  const std::size_t slopes =
      2 * kept_slopes * slope + most_pieces * slope / bytes_of(study_.info().dtype) * sizeof(double);
  std::size_t bytes = 0;
  int count = 0;
  for (int l = first; l < static_cast<int>(steps_.size()); ++l, ++count) {
    bytes += points * bytes_of_point(l) + slopes;
    const auto tokens = static_cast<Index>((as_size(count) + 1) * points) * study_.size();
    if (bytes > study_.scratch || tokens > busy_tokens) break;
  }
  return std::max(1, count);
}

std::size_t AttentionSlopes::bytes_of_point(int layer) const {
  ModelInfo above = study_.info();
  if (study_.written() == 0) above.last().layers -= layer;
  return planned_run_bytes(above, study_.size(), objective_rows(study_.info(), study_.size())) +
         more_target_bytes(study_);
}

std::size_t AttentionSlopes::fitting(std::span<const ScaledAttention> points) const {
  const auto busy = as_size(std::max<Index>(1, busy_tokens / study_.size()));
  std::size_t count = 1, bytes = bytes_of_point(points.front().layer);
  for (; count < std::min(points.size(), busy); ++count)
    if ((bytes += bytes_of_point(points[count].layer)) > study_.scratch) break;
  return count;
}

}  // namespace headwater
