// For layer l let a·A stand for its attention A, a from 0 to 1, while lower layers stay and higher ones
// follow:
//
//   Attr_h = A_h ⊙ ∫₀¹ ∂F(aA)/∂A_h da                                              [H, T, T]
//
// The layer's attention output is linear in a: o(a) = a O + b_o with O = concat_h(A_h V_h) W_oᵀ. So with
// Ḡ = ∫₀¹ ∂F/∂o da  [T, D],
//
//   Attr_h[i, j] = A_h[i, j] · ⟨(Ḡ W_o)_{h,i}, V_h[j]⟩
//
// and a node needs only the rest of the block and the layers above it, forward and back; W_o and V come once
// per layer. The gradients at a = 1 come from one pull for all layers together. Where a head reads single
// rows, the last block is computed for them alone.
//
// Completeness, Σ Attr = F(A) − F(0), tells how good the nodes were. A sum may come out right by chance, so
// the way there is looked at too: the polynomial through ⟨∂F/∂o, O⟩ at the nodes must lead to the F each node
// has. Where F hardly changes, rounding hides both; then it is enough that more nodes change nothing.
#include "attribution/attention_attribution.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <headwater/error.h>

#include "attribution/gradients.h"
#include "attribution/nested_rule.h"
#include "kernels/kernels.h"
#include "study/memory.h"

namespace headwater {

namespace {

constexpr int most_evaluations = 400;  // per layer; what is left of the defect is shown
// The polynomial is as good at the end of the way as the nodes were chosen to make it, and worse on the way.
constexpr double slack_on_the_way = 10;
constexpr double settled = 0.1;  // share of the tolerance that more nodes may change an attribution by

ModelInfo layers_above(const ModelInfo& info, int layer) {
  ModelInfo rest = info;
  rest.layers = info.layers - layer;
  return rest;
}

// The rows of the last block that F is computed from, where that block need not be computed for others; empty
// otherwise.
std::vector<int> rows_needed(const Study& study, const Objective& objective) {
  if (study.info().causal || objective.over_tokens()) return {};
  if (study.model().anatomy().reads_first) return {0};
  return objective.positions();
}

// ∂F/∂o and F at some nodes.
struct Slopes {
  std::vector<Tensor> gradients;  // [T, D] each
  std::vector<double> values;
  double rounding = 0;  // of the values
};

// One layer of the study, and F as a function of its attention's share a.
class Layer {
 public:
  Layer(const Study& study, const Objective& objective, int layer)
      : study_(study),
        objective_(objective),
        layer_(layer),
        rows_(rows_needed(study, objective)),
        stream_(study.at(Site::ResidPre, layer)),
        attended_(study.at(Site::AttnOut, layer)),
        bias_((*study.model().anatomy().blocks)[static_cast<std::size_t>(layer)].attention.out.bias) {}

  // F(aA); at 0 the attention's output is its bias alone.
  double value(double a) const {
    Tape tape(Keep::Nothing);
    const Batch batch = copies(1);
    const Node node{.at = a, .weight = 0};
    return objective_.values(resume(tape, {&node, 1}, batch).value, batch.positions).front();
  }

  // ⟨g, O⟩: what a gradient [T, D] at the attention's output says F changes by as a goes from 0 to 1. It is
  // the sum of all attributions that gradient gives.
  double along_attention(const std::vector<double>& gradient) const {
    double sum = 0;
    const Index D = stream_.dim(2);
    dispatch(attended_.dtype(), [&](auto r) {
      using R = decltype(r);
      const R* o = std::as_const(attended_).template data<R>();
      const R* bias = bias_.empty() ? nullptr : std::as_const(bias_).template data<R>();
      for (Index i = 0; i < attended_.size(); ++i)
        sum += gradient[static_cast<std::size_t>(i)] *
               (static_cast<double>(o[i]) - (bias == nullptr ? 0.0 : static_cast<double>(bias[i % D])));
    });
    return sum;
  }

  // Adds ∂F/∂o and F at these nodes to `slopes`.
  void evaluate(std::span<const Node> nodes, Slopes& slopes) const {
    const std::size_t one = planned_run_bytes(layers_above(study_.info(), layer_), study_.tokens(),
                                              objective_rows(study_.info(), study_.tokens()));
    const auto at_once = static_cast<std::size_t>(copies_at_once(study_, one));
    for (std::size_t begin = 0; begin < nodes.size(); begin += at_once) {
      const auto some = nodes.subspan(begin, std::min(at_once, nodes.size() - begin));
      const Batch batch = copies(static_cast<Index>(some.size()));
      Tape tape;
      const Var logits = resume(tape, some, batch);
      const Tensor seeds = objective_.seed(logits.value, batch.positions);
      slopes.rounding = std::max(slopes.rounding, Objective::rounding(seeds, logits.value));
      const Signals signals = tape.pull(logits, seeds, rules::gradient, {{Site::AttnOut, layer_}});
      const Tensor& found = signals.at(Site::AttnOut, layer_);
      for (Index k = 0; k < found.dim(0); ++k) slopes.gradients.push_back(found.rows(k, 1).clone());
      for (const double value : objective_.values(logits.value, batch.positions))
        slopes.values.push_back(value);
    }
  }

 private:
  Batch copies(Index n) const {
    Batch batch = repeated(study_.batch(), n);
    batch.positions = objective_.positions();
    if (!rows_.empty())  // the head meets these rows alone
      for (std::size_t k = 0; k < batch.positions.size(); ++k) batch.positions[k] = static_cast<int>(k);
    return batch;
  }

  Var resume(Tape& tape, std::span<const Node> nodes, const Batch& batch) const {
    const auto n = static_cast<Index>(nodes.size()), T = stream_.dim(1), D = stream_.dim(2);
    Tensor stream({n, T, D}, stream_.dtype()), attended({n, T, D}, stream_.dtype());
    dispatch(stream_.dtype(), [&](auto r) {
      using R = decltype(r);
      const R* full = std::as_const(attended_).template data<R>();
      const R* bias = bias_.empty() ? nullptr : std::as_const(bias_).template data<R>();
      R *x = stream.data<R>(), *o = attended.data<R>();
      for (const Node& node : nodes) {
        x = std::copy_n(std::as_const(stream_).template data<R>(), T * D, x);
        const auto a = static_cast<R>(node.at);
        for (Index i = 0; i < T * D; ++i) {
          const R b = bias == nullptr ? R(0) : bias[i % D];
          *o++ = a * (full[i] - b) + b;
        }
      }
    });
    const Var x = tape.leaf(stream), o = tape.leaf(attended, Site::AttnOut, layer_);
    return study_.model().resume(x, &o, layer_, batch, rows_);
  }

  const Study& study_;
  const Objective& objective_;
  int layer_;
  std::vector<int> rows_;
  Tensor stream_, attended_, bias_;
};

// ∂F/∂o of every layer with all of its attention there: one run and one pull give them all.
std::vector<Tensor> whole_gradients(const Study& study, const Objective& objective) {
  Batch batch = study.batch();
  batch.positions = objective.positions();
  std::vector<Wanted> wanted;
  for (int l = 0; l < study.info().layers; ++l) wanted.push_back({Site::AttnOut, l});
  Tape tape;
  const Var logits = study.model().run(tape, batch);
  const Signals signals =
      tape.pull(logits, objective.seed(logits.value, batch.positions), rules::gradient, wanted);
  std::vector<Tensor> gradients;
  for (const Wanted& place : wanted) gradients.push_back(signals.at(place.site, place.layer));
  return gradients;
}

// Σ_k w_k g_k
std::vector<double> weighted_sum(std::span<const Node> nodes, const std::vector<Tensor>& gradients) {
  std::vector<double> sum(static_cast<std::size_t>(gradients.front().size()), 0.0);
  for (std::size_t k = 0; k < nodes.size(); ++k)
    dispatch(gradients[k].dtype(), [&](auto r) {
      const auto* g = std::as_const(gradients[k]).template data<decltype(r)>();
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += nodes[k].weight * static_cast<double>(g[i]);
    });
  return sum;
}

// A part of the way from no attention to all of it. Known slopes are in the order of the nested rule: at its
// end, its beginning, …; after the last level at its end, its beginning and its middle.
struct Piece {
  double begin, end;  // of a
  Slopes known;
  int level = -1;
  std::vector<double> sum;  // ∫ ∂F/∂o da over the piece
  double defect = 0;        // ⟨sum, O⟩ less the change of F over the piece
  double on_the_way = 0;    // the same up to the node where it is largest

  double worst() const { return std::max(std::abs(defect), on_the_way / slack_on_the_way); }
};

// ∫₀¹ ∂F/∂o da. Adaptive: as many nodes as completeness demands. Each piece has a completeness of its own,
// which tells where to look closer: first more nodes, then two halves, so that a kink (ReLU) costs nodes at
// the kink alone.
class Integral {
 public:
  Integral(const Layer& layer, double whole) : layer_(layer), whole_(whole) {}

  void fixed(std::vector<Node> nodes) {
    none_ = layer_.value(0);
    pieces_.push_back({.begin = 0, .end = 1, .known = {}});
    layer_.evaluate(nodes, pieces_.front().known);
    evaluations_ = static_cast<int>(nodes.size());
    finish(pieces_.front(), nodes, whole_ - none_);
  }
  void begin(const Tensor& whole_gradient) {
    pieces_.push_back({.begin = 0, .end = 1, .known = {{whole_gradient}, {whole_}, 0}});
    refine(pieces_.front());
    none_ = pieces_.front().known.values[1];
  }
  void refine() {
    refine(*std::max_element(pieces_.begin(), pieces_.end(),
                             [](const Piece& a, const Piece& b) { return a.worst() < b.worst(); }));
  }
  std::vector<double> gradient() const {
    std::vector<double> sum = pieces_.front().sum;
    for (std::size_t p = 1; p < pieces_.size(); ++p)
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += pieces_[p].sum[i];
    return sum;
  }
  double defect() const {
    double sum = 0;
    for (const Piece& piece : pieces_) sum += piece.defect;
    return sum;
  }
  // The largest of the pieces' on the way, with that share of the tolerance they are allowed, or the whole's.
  double worst() const {
    double worst = std::abs(defect());
    for (const Piece& piece : pieces_) worst = std::max(worst, piece.on_the_way / slack_on_the_way);
    return worst;
  }
  double rounding() const { return rounding_; }
  double change() const { return whole_ - none_; }
  int evaluations() const { return evaluations_; }

 private:
  static constexpr int last_level = nested_levels - 1;  // beyond, halves do better

  void refine(Piece& piece) {
    if (piece.level == last_level) {
      Piece second = halve(piece);
      look_closer(piece);
      look_closer(second);
      pieces_.push_back(std::move(second));
    } else {
      look_closer(piece);
    }
  }

  void look_closer(Piece& piece) {
    std::vector<Node> nodes = nested_rule(++piece.level);
    const double length = piece.end - piece.begin;
    for (Node& node : nodes) node = {piece.begin + node.at * length, node.weight * length};
    const auto fresh = std::span<const Node>(nodes).subspan(piece.known.gradients.size());
    layer_.evaluate(fresh, piece.known);
    evaluations_ += static_cast<int>(fresh.size());
    finish(piece, nodes, piece.known.values[0] - piece.known.values[1]);
    piece.on_the_way = defect_on_the_way(piece);
    if (piece.level < last_level) return;
    // All that halves can use.
    std::swap(piece.known.gradients[2], piece.known.gradients[nested_middle]);
    std::swap(piece.known.values[2], piece.known.values[nested_middle]);
    piece.known.gradients.resize(3);
    piece.known.values.resize(3);
  }

  void finish(Piece& piece, std::span<const Node> nodes, double change) {
    rounding_ = std::max(rounding_, piece.known.rounding);
    piece.sum = weighted_sum(nodes, piece.known.gradients);
    piece.defect = layer_.along_attention(piece.sum) - change;
  }

  double defect_on_the_way(const Piece& piece) const {
    const std::vector<double> weights = nested_partial(piece.level);
    const std::size_t n = piece.known.values.size();
    std::vector<double> slopes;
    for (const Tensor& gradient : piece.known.gradients)
      slopes.push_back((piece.end - piece.begin) * layer_.along_attention(gradient.to_doubles()));
    double worst = 0;
    for (std::size_t k = 0; k < n; ++k)
      worst = std::max(worst, std::abs(std::inner_product(slopes.begin(), slopes.end(), &weights[k * n],
                                                          piece.known.values[1] - piece.known.values[k])));
    return worst;
  }

  // The piece becomes its first half; returns the second.
  static Piece halve(Piece& piece) {
    const double middle = (piece.begin + piece.end) / 2;
    const auto part = [&](double begin, double end, std::size_t at_end, std::size_t at_begin) {
      const auto& g = piece.known.gradients;
      const auto& v = piece.known.values;
      return Piece{
          .begin = begin, .end = end, .known = {{g[at_end], g[at_begin]}, {v[at_end], v[at_begin]}, 0}};
    };
    Piece second = part(middle, piece.end, 0, 2);
    piece = part(piece.begin, middle, 2, 1);
    return second;
  }

  const Layer& layer_;
  double whole_, none_ = 0;  // F with all of the attention, and with none
  double rounding_ = 0;
  std::vector<Piece> pieces_;
  int evaluations_ = 0;
};

struct Attributed {
  double largest = 0, moved = 0;  // magnitudes: of the attributions, and of what they changed by
};

// to [H, T, T] = A ⊙ ⟨(Ḡ W_o)_{h,i}, V_{h,j}⟩.
template <class R>
Attributed attribute_heads(const Study& study, int layer, const std::vector<R>& gradient, R* to) {
  const Anatomy parts = study.model().anatomy();
  const auto l = static_cast<std::size_t>(layer);
  const Index T = study.tokens(), H = parts.heads[l].heads, G = parts.heads[l].groups;
  const LinearWeights& out = (*parts.blocks)[l].attention.out;
  const Index E = out.weight->cols() / H;
  const Tensor pattern = study.at(Site::Pattern, layer), v = study.at(Site::V, layer);
  std::vector<R> pulled(static_cast<std::size_t>(T * H * E));
  out.weight->times(gradient.data(), pulled.data(), T);
  std::vector<R> now(static_cast<std::size_t>(H * T * T));
  std::vector<kernels::GemmTask<R>> tasks;
  for (Index h = 0; h < H; ++h)
    tasks.push_back({pulled.data() + h * E, v.data<R>() + h / (H / G) * E, now.data() + h * T * T});
  kernels::gemm_batch<R>({.m = T, .n = T, .k = E, .transpose_b = true, .lda = H * E, .ldb = G * E, .ldc = T},
                         tasks);
  const R* weight = pattern.data<R>();
  R largest = 0, moved = 0;
  for (Index i = 0; i < H * T * T; ++i) {
    const R score = now[static_cast<std::size_t>(i)] * weight[i];
    moved = std::max(moved, std::abs(score - to[i]));
    largest = std::max(largest, std::abs(score));
    to[i] = score;
  }
  return {static_cast<double>(largest), static_cast<double>(moved)};
}

// Floating-point operations of products, forward and back: a product costs as much again for each factor that
// is followed, of which a weight is none.
class Cost {
 public:
  Cost(const Study& study, const Objective& objective)
      : layers_(study.info().layers), tokens_(study.tokens()), rows_(tokens_) {
    const ModelInfo& info = study.info();
    const auto D = static_cast<double>(info.width);
    const bool gated = study.model().anatomy().blocks->front().mlp.gate.has_value();
    heads_ = static_cast<double>(info.heads) * info.head_width;
    queries_ = 2 * D * 2 * heads_;
    keys_ = 2 * D * 2 * static_cast<double>(info.groups) * info.head_width;
    feed_forward_ = 2 * D * static_cast<double>(info.feed_forward) * (gated ? 3 : 2);
    if (const auto rows = rows_needed(study, objective); !rows.empty())
      rows_ = static_cast<double>(rows.size());
  }

  double run() const { return layers_ * block(tokens_); }
  // The rest of this block and the blocks above.
  double node(int layer) const {
    if (layer + 1 == layers_) return 2 * feed_forward_ * rows_;
    return 2 * feed_forward_ * tokens_ + (layers_ - layer - 2) * block(tokens_) + block(rows_);
  }

 private:
  double block(double rows) const {
    return 2 * (keys_ * tokens_ + (queries_ + feed_forward_) * rows) + 3 * 4 * rows * tokens_ * heads_;
  }

  int layers_;
  double tokens_, rows_;
  double heads_ = 0, queries_ = 0, keys_ = 0, feed_forward_ = 0;  // the latter three per row
};

}  // namespace

std::vector<Site> attention_attribution_sites() {
  return {Site::ResidPre, Site::AttnOut, Site::Pattern, Site::V};
}

std::size_t attention_attribution_bytes(const ModelInfo& info, Index tokens) {
  const auto T = static_cast<std::size_t>(tokens), D = static_cast<std::size_t>(info.width);
  const std::size_t scores = static_cast<std::size_t>((info.layers + 1) * info.heads) * T * T;
  const std::size_t slopes = (48 + static_cast<std::size_t>(info.layers)) * T * D;
  return gradient_bytes(info, tokens) + (scores + slopes) * bytes_of(info.dtype);
}

AttentionAttribution attribute_attention(const Study& study, const Objective& objective,
                                         const AttentionAttributionOptions& options) {
  const Anatomy parts = study.model().anatomy();
  if (parts.blocks == nullptr)
    throw Unsupported("attention attribution: needs a model made of blocks; this one shows none");
  const Index L = study.info().layers, H = study.info().heads, T = study.tokens();
  AttentionAttribution result;
  result.scores = Tensor({L, H, T, T}, study.info().dtype);
  const double whole = objective.value();
  const Cost cost(study, objective);
  std::vector<Tensor> ends;
  if (!options.nodes) {
    ends = whole_gradients(study, objective);
    result.flop = cost.run();
  }
  for (int l = 0; l < L; ++l) {
    study.progress(static_cast<double>(l) / static_cast<double>(L));
    const Layer layer(study, objective, l);
    Integral integral(layer, whole);
    const auto attribute = [&] {
      Attributed found;
      dispatch(study.info().dtype, [&](auto r) {
        using R = decltype(r);
        const std::vector<double> gradient = integral.gradient();
        found = attribute_heads(study, l, std::vector<R>(gradient.begin(), gradient.end()),
                                result.scores.data<R>() + l * H * T * T);
      });
      return found;
    };
    if (options.nodes) {
      integral.fixed(*options.nodes);
      result.flop += cost.node(l) / 2;  // F with none of the attention
      attribute();
    } else {
      integral.begin(ends[static_cast<std::size_t>(l)]);
      const double resolved = std::max(settled * options.tolerance, 16 * epsilon_of(study.info().dtype));
      for (Attributed found = attribute(); integral.worst() > options.tolerance * found.largest;) {
        if (integral.evaluations() >= most_evaluations) break;
        integral.refine();
        found = attribute();
        if (found.moved <= resolved * found.largest) break;
      }
    }
    result.flop += integral.evaluations() * cost.node(l);
    result.nodes.push_back(integral.evaluations());
    result.change.push_back(integral.change());
    result.defect.push_back(integral.defect());
    result.rounding.push_back(integral.rounding());
  }
  study.progress(1);
  return result;
}

}  // namespace headwater
