// With a·A for the attention A of a layer its output is o(a) = a O + b_o, O = concat_h(A_h V_h) W_oᵀ: linear
// in a. So a point enters half-way through the layer's block, with that output given, and only the rest of
// the block and the blocks above it are run, forward and back. dF/da = ⟨∂F/∂o, O⟩.
//
// All points run together: at each block those that enter there join those from below, and from there on they
// share every product. Where a head reads single rows, the last block is computed for them alone.
#include "attribution/attention_slopes.h"

#include <algorithm>
#include <cmath>

#include <headwater/error.h>

#include "attribution/gradients.h"
#include "study/memory.h"

namespace headwater {

namespace {

// The rows of the last block that F is computed from, where that block need not be computed for others; empty
// otherwise.
std::vector<int> rows_needed(const Study& study, const Objective& objective, const Anatomy& parts) {
  if (study.info().causal || objective.over_tokens()) return {};
  if (parts.reads_first) return {0};
  return objective.positions();
}

constexpr double most_growth = 4;  // beyond, nodes crowd where nothing is known to happen

// Floating-point operations of products, forward and back: a product costs as much again for each factor that
// is followed, of which a weight is none. `rows`: those that queries and the feed-forward part are computed
// for.
double feed_forward_flop(const ModelInfo& info, const Anatomy& parts, double rows) {
  const int products = parts.blocks->front().mlp.gate ? 3 : 2;
  return 2 * products * 2.0 * static_cast<double>(info.width) * static_cast<double>(info.feed_forward) * rows;
}

double block_flop(const ModelInfo& info, const Anatomy& parts, double rows, double tokens) {
  const double heads = static_cast<double>(info.heads) * info.head_width;
  const double groups = static_cast<double>(info.groups) * info.head_width;
  const double projections = 2 * 2.0 * static_cast<double>(info.width) * 2 * (heads * rows + groups * tokens);
  return projections + 3 * 4 * rows * tokens * heads + feed_forward_flop(info, parts, rows);
}

}  // namespace

AttentionSlopes::AttentionSlopes(const Study& study, const Objective& objective)
    : study_(study), objective_(objective), parts_(study.model().anatomy()) {
  if (parts_.blocks == nullptr)
    throw Unsupported("attention attribution: needs a model made of blocks; this one shows none");
  rows_ = rows_needed(study, objective, parts_);
}

std::vector<Slope> AttentionSlopes::at(std::span<const ScaledAttention> points,
                                       const std::function<void(double)>& advance) {
  std::vector<Slope> slopes;
  for (const auto all = static_cast<double>(points.size()); !points.empty();) {
    advance(static_cast<double>(slopes.size()) / all);
    const auto some = points.first(fitting(points));
    const Batch batch = copies(static_cast<Index>(some.size()));
    const std::vector<Entry> entering = entries(some);
    std::vector<Place> wanted;
    for (const Entry& entry : entering) wanted.push_back({Site::AttnOut, entry.layer});
    Tape tape;
    const Var logits = study_.model().resume(tape, entering, batch, rows_);
    const Tensor seeds = objective_.seed(logits.value, batch.positions);
    const std::vector<double> values = objective_.values(logits.value, batch.positions);
    const Signals signals = tape.pull(logits, seeds, rules::gradient, wanted);
    Index k = 0;
    for (const Entry& entry : entering) {
      const Tensor& found = signals.at(Site::AttnOut, entry.layer);
      for (Index i = 0; i < found.dim(0); ++i, ++k) {
        Tensor gradient = found.rows(i, 1).clone();
        const double along = along_attention(entry.layer, gradient);
        slopes.push_back({.gradient = std::move(gradient),
                          .along = along,
                          .value = values[static_cast<std::size_t>(k)],
                          .rounding = Objective::rounding(seeds.rows(k, 1), logits.value.rows(k, 1))});
        flop_ += cost_of(entry.layer);
      }
    }
    points = points.subspan(some.size());
  }
  return slopes;
}

std::vector<double> AttentionSlopes::values(std::span<const ScaledAttention> points) {
  std::vector<double> values;
  while (!points.empty()) {
    const auto some = points.first(fitting(points));
    const Batch batch = copies(static_cast<Index>(some.size()));
    Tape tape(Keep::Nothing);
    const Var logits = study_.model().resume(tape, entries(some), batch, rows_);
    for (const double value : objective_.values(logits.value, batch.positions)) values.push_back(value);
    for (const ScaledAttention& point : some) flop_ += cost_of(point.layer) / 2;
    points = points.subspan(some.size());
  }
  return values;
}

std::vector<Tensor> AttentionSlopes::whole_gradients() {
  Batch batch = study_.batch();
  batch.positions = objective_.positions();
  std::vector<Place> wanted;
  for (int l = 0; l < study_.info().layers; ++l) wanted.push_back({Site::AttnOut, l});
  Tape tape;
  const Var logits = study_.model().run(tape, batch);
  const Signals signals =
      tape.pull(logits, objective_.seed(logits.value, batch.positions), rules::gradient, wanted);
  std::vector<Tensor> gradients;
  for (const Place& place : wanted) gradients.push_back(signals.at(place.site, place.layer));
  flop_ += study_.info().layers * block_flop(study_.info(), parts_, study_.tokens(), study_.tokens());
  return gradients;
}

Slope AttentionSlopes::whole(int layer, Tensor gradient) const {
  const double along = along_attention(layer, gradient);
  return {.gradient = std::move(gradient), .along = along, .value = objective_.value()};
}

double AttentionSlopes::cost_of(int layer) const {
  const ModelInfo& info = study_.info();
  const double tokens = study_.tokens(), last = rows_.empty() ? tokens : static_cast<double>(rows_.size());
  if (layer + 1 == info.layers) return feed_forward_flop(info, parts_, last);
  return feed_forward_flop(info, parts_, tokens) +
         (info.layers - layer - 2) * block_flop(info, parts_, tokens, tokens) +
         block_flop(info, parts_, last, tokens);
}

double AttentionSlopes::growth(int layer) const {
  const Tensor stream = study_.at(Site::ResidPre, layer), attended = study_.at(Site::AttnOut, layer);
  const Tensor& bias = (*parts_.blocks)[static_cast<std::size_t>(layer)].attention.out.bias;
  const Index T = stream.dim(1), D = stream.dim(2);
  return dispatch(stream.dtype(), [&](auto r) {
    using R = decltype(r);
    const R *x = stream.data<R>(), *o = attended.data<R>(), *b = bias.empty() ? nullptr : bias.data<R>();
    double sum = 0;
    for (Index t = 0; t < T; ++t) {
      double before = 0, added = 0;
      for (Index d = 0; d < D; ++d) {
        const double own = b == nullptr ? 0 : static_cast<double>(b[d]);
        const double base = static_cast<double>(x[t * D + d]) + own;
        const double more = static_cast<double>(o[t * D + d]) - own;
        before += base * base;
        added += more * more;
      }
      if (before > 0) sum += std::sqrt(added / before);
    }
    return std::min(most_growth, sum / static_cast<double>(T));
  });
}

int AttentionSlopes::layers_together(int first, std::size_t points) const {
  const std::size_t slope = site_bytes(study_.info(), study_.tokens(), Site::AttnOut);
  const std::size_t slopes =
      2 * kept_slopes * slope + most_pieces * slope / bytes_of(study_.info().dtype) * sizeof(double);
  std::size_t bytes = 0;
  int count = 0;
  for (int l = first; l < study_.info().layers; ++l, ++count) {
    bytes += points * bytes_of_point(l) + slopes;
    const auto tokens = static_cast<Index>((static_cast<std::size_t>(count) + 1) * points) * study_.tokens();
    if (bytes > study_.scratch || tokens > busy_tokens) break;
  }
  return std::max(1, count);
}

Batch AttentionSlopes::copies(Index n) const {
  Batch batch = repeated(study_.batch(), n);
  batch.positions = objective_.positions();
  if (!rows_.empty())  // the head meets these rows alone
    for (std::size_t k = 0; k < batch.positions.size(); ++k) batch.positions[k] = static_cast<int>(k);
  return batch;
}

std::size_t AttentionSlopes::bytes_of_point(int layer) const {
  ModelInfo above = study_.info();
  above.layers -= layer;
  return planned_run_bytes(above, study_.tokens(), objective_rows(study_.info(), study_.tokens())) +
         more_target_bytes(study_);
}

std::size_t AttentionSlopes::fitting(std::span<const ScaledAttention> points) const {
  const auto busy = static_cast<std::size_t>(std::max<Index>(1, busy_tokens / study_.tokens()));
  std::size_t count = 1, bytes = bytes_of_point(points.front().layer);
  for (; count < std::min(points.size(), busy); ++count)
    if ((bytes += bytes_of_point(points[count].layer)) > study_.scratch) break;
  return count;
}

std::vector<Entry> AttentionSlopes::entries(std::span<const ScaledAttention> points) const {
  std::vector<Entry> entries;
  while (!points.empty()) {
    const int layer = points.front().layer;
    const auto end = std::find_if(points.begin(), points.end(),
                                  [layer](const ScaledAttention& p) { return p.layer != layer; });
    const auto own = points.first(static_cast<std::size_t>(end - points.begin()));
    const Tensor stream = study_.at(Site::ResidPre, layer), attended = study_.at(Site::AttnOut, layer);
    const Tensor& bias = (*parts_.blocks)[static_cast<std::size_t>(layer)].attention.out.bias;
    const Shape shape = stream.shape().without_front().with_front(static_cast<Index>(own.size()));
    Entry entry{layer, Tensor(shape, stream.dtype()), Tensor(shape, stream.dtype())};
    dispatch(stream.dtype(), [&](auto r) {
      using R = decltype(r);
      const R *full = attended.data<R>(), *b = bias.empty() ? nullptr : bias.data<R>();
      R *x = entry.stream.data<R>(), *o = entry.attended.data<R>();
      for (const ScaledAttention& point : own) {
        x = std::copy_n(stream.data<R>(), stream.size(), x);
        const auto a = static_cast<R>(point.share);
        for (Index i = 0; i < attended.size(); ++i) {
          const R constant = b == nullptr ? R(0) : b[i % stream.dim(2)];
          *o++ = a * (full[i] - constant) + constant;
        }
      }
    });
    entries.push_back(std::move(entry));
    points = points.subspan(own.size());
  }
  return entries;
}

double AttentionSlopes::along_attention(int layer, const Tensor& gradient) const {
  const Tensor attended = study_.at(Site::AttnOut, layer);
  const Tensor& bias = (*parts_.blocks)[static_cast<std::size_t>(layer)].attention.out.bias;
  return dispatch(attended.dtype(), [&](auto r) {
    using R = decltype(r);
    const R *g = gradient.data<R>(), *o = attended.data<R>();
    const R* b = bias.empty() ? nullptr : bias.data<R>();
    double sum = 0;
    for (Index i = 0; i < attended.size(); ++i)
      sum += static_cast<double>(g[i]) *
             (static_cast<double>(o[i]) - (b == nullptr ? 0.0 : static_cast<double>(b[i % attended.dim(2)])));
    return sum;
  });
}

}  // namespace headwater
