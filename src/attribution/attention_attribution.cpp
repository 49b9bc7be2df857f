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
// per layer. Completeness, Σ Attr = F(A) − F(0), tells how good the nodes were.
#include "attribution/attention_attribution.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <headwater/error.h>

#include "attribution/gradients.h"
#include "attribution/nested_rule.h"
#include "kernels/kernels.h"
#include "study/memory.h"

namespace headwater {

namespace {

constexpr int most_evaluations = 400;  // per layer; what is left of the defect is shown

ModelInfo layers_above(const ModelInfo& info, int layer) {
  ModelInfo rest = info;
  rest.layers = info.layers - layer;
  return rest;
}

// One layer of the study, and F as a function of its attention's share a.
class Layer {
 public:
  Layer(const Study& study, const Objective& objective, int layer)
      : study_(study),
        objective_(objective),
        layer_(layer),
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
    for (Index i = 0; i < attended_.size(); ++i) {
      const double bias = bias_.empty() ? 0 : bias_.at(i % D);
      sum += gradient[static_cast<std::size_t>(i)] * (attended_.at(i) - bias);
    }
    return sum;
  }

  // Adds ∂F/∂o at these nodes, one [T, D] each, to `gradients`.
  void evaluate(std::span<const Node> nodes, std::vector<Tensor>& gradients) const {
    const std::size_t one = planned_run_bytes(layers_above(study_.info(), layer_), study_.tokens(),
                                              objective_rows(study_.info(), study_.tokens()));
    const auto at_once = static_cast<std::size_t>(copies_at_once(study_, one));
    for (std::size_t begin = 0; begin < nodes.size(); begin += at_once) {
      const auto some = nodes.subspan(begin, std::min(at_once, nodes.size() - begin));
      const Batch batch = copies(static_cast<Index>(some.size()));
      Tape tape;
      const Var logits = resume(tape, some, batch);
      const Signals signals = tape.pull(logits, objective_.seed(logits.value, batch.positions),
                                        rules::gradient, {{Site::AttnOut, layer_}});
      const Tensor& found = signals.at(Site::AttnOut, layer_);
      for (Index k = 0; k < found.dim(0); ++k) gradients.push_back(found.rows(k, 1).clone());
    }
  }

 private:
  Batch copies(Index n) const {
    Batch batch = repeated(study_.batch(), n);
    batch.positions = objective_.positions();
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
    return study_.model().resume(x, &o, layer_, batch);
  }

  const Study& study_;
  const Objective& objective_;
  int layer_;
  Tensor stream_, attended_, bias_;
};

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

// A part of the way from no attention to all of it.
struct Piece {
  double begin, end;     // of a
  double before, after;  // F there
  int level = -1;
  std::vector<Tensor> gradients;
  std::vector<double> sum;  // ∫ ∂F/∂o da over the piece
  double defect = 0;        // ⟨sum, O⟩ − (after − before)
};

// ∫₀¹ ∂F/∂o da with as many nodes as completeness demands. Each piece has a completeness of its own, which
// tells where to look closer: first more nodes, then two halves, so that a kink (ReLU) costs nodes at the
// kink alone.
class Integral {
 public:
  Integral(const Layer& layer, double whole) : layer_(layer), none_(layer.value(0)) {
    pieces_.push_back({.begin = 0, .end = 1, .before = none_, .after = whole});
  }

  void fixed(const std::vector<Node>& nodes) { evaluate(pieces_.front(), nodes); }
  void refine() {
    const auto worst = std::max_element(pieces_.begin(), pieces_.end(), [](const Piece& a, const Piece& b) {
      return (a.level >= 0 ? std::abs(a.defect) : INFINITY) < (b.level >= 0 ? std::abs(b.defect) : INFINITY);
    });
    if (worst->level == last_level) {
      halve(*worst);
      return;
    }
    evaluate(*worst, nested_rule(++worst->level));
    if (worst->level == last_level) worst->gradients.clear();
  }
  bool complete() const {  // every piece has been looked at
    return std::all_of(pieces_.begin(), pieces_.end(), [](const Piece& p) { return !p.sum.empty(); });
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
  double change() const { return pieces_.back().after - none_; }
  int evaluations() const { return evaluations_; }

 private:
  static constexpr int last_level = 2;  // 15 nodes; beyond, halves do better

  void evaluate(Piece& piece, std::vector<Node> nodes) {
    const double length = piece.end - piece.begin;
    for (Node& node : nodes) node = {piece.begin + node.at * length, node.weight * length};
    const std::size_t before = piece.gradients.size();
    layer_.evaluate(std::span(nodes).subspan(before), piece.gradients);
    evaluations_ += static_cast<int>(piece.gradients.size() - before);
    piece.sum = weighted_sum(nodes, piece.gradients);
    piece.defect = layer_.along_attention(piece.sum) - (piece.after - piece.before);
  }

  // Pieces stay in order, so that the last one ends at all of the attention.
  void halve(Piece& piece) {
    const double middle = (piece.begin + piece.end) / 2, value = layer_.value(middle);
    const Piece second{.begin = middle, .end = piece.end, .before = value, .after = piece.after};
    piece = {.begin = piece.begin, .end = middle, .before = piece.before, .after = value};
    pieces_.insert(pieces_.begin() + (&piece - pieces_.data()) + 1, second);
  }

  const Layer& layer_;
  double none_;
  std::vector<Piece> pieces_;
  int evaluations_ = 0;
};

// to [H, T, T] = A ⊙ ⟨(Ḡ W_o)_{h,i}, V_{h,j}⟩; returns the largest magnitude.
template <class R>
double attribute_heads(const Study& study, int layer, const std::vector<R>& gradient, R* to) {
  const Anatomy parts = study.model().anatomy();
  const auto l = static_cast<std::size_t>(layer);
  const Index T = study.tokens(), H = parts.heads[l].heads, G = parts.heads[l].groups;
  const LinearWeights& out = (*parts.blocks)[l].attention.out;
  const Index E = out.weight->cols() / H;
  const Tensor pattern = study.at(Site::Pattern, layer), v = study.at(Site::V, layer);
  std::vector<R> pulled(static_cast<std::size_t>(T * H * E));
  out.weight->times(gradient.data(), pulled.data(), T);
  std::vector<kernels::GemmTask<R>> tasks;
  for (Index h = 0; h < H; ++h)
    tasks.push_back({pulled.data() + h * E, v.data<R>() + h / (H / G) * E, to + h * T * T});
  kernels::gemm_batch<R>({.m = T, .n = T, .k = E, .transpose_b = true, .lda = H * E, .ldb = G * E, .ldc = T},
                         tasks);
  const R* weight = pattern.data<R>();
  double largest = 0;
  for (Index i = 0; i < H * T * T; ++i) {
    to[i] *= weight[i];
    largest = std::max(largest, static_cast<double>(std::abs(to[i])));
  }
  return largest;
}

// Forward and back of one node: the layers above, and this one without its attention.
double node_flop(const ModelInfo& info, Index tokens, int layer, bool gated) {
  const auto T = static_cast<double>(tokens), D = static_cast<double>(info.width);
  const double heads = static_cast<double>(info.heads) * info.head_width;
  const double groups = static_cast<double>(info.groups) * info.head_width;
  const double feed_forward = 2 * T * D * static_cast<double>(info.feed_forward) * (gated ? 3 : 2);
  const double linear = 2 * T * D * 2 * (heads + groups) + feed_forward, mixing = 4 * T * T * heads;
  return 2 * feed_forward + (info.layers - layer - 1) * (2 * linear + 3 * mixing);
}

}  // namespace

std::vector<Site> attention_attribution_sites() {
  return {Site::ResidPre, Site::AttnOut, Site::Pattern, Site::V};
}

std::size_t attention_attribution_bytes(const ModelInfo& info, Index tokens) {
  const auto T = static_cast<std::size_t>(tokens), D = static_cast<std::size_t>(info.width);
  const std::size_t scores = static_cast<std::size_t>(info.layers * info.heads) * T * T;
  return planned_run_bytes(info, tokens, objective_rows(info, tokens)) +
         (scores + 40 * T * D) * bytes_of(info.dtype);
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
  for (int l = 0; l < L; ++l) {
    study.progress(static_cast<double>(l) / static_cast<double>(L));
    const Layer layer(study, objective, l);
    Integral integral(layer, whole);
    const auto attribute = [&] {
      double largest = 0;
      dispatch(study.info().dtype, [&](auto r) {
        using R = decltype(r);
        const std::vector<double> gradient = integral.gradient();
        largest = attribute_heads(study, l, std::vector<R>(gradient.begin(), gradient.end()),
                                  result.scores.data<R>() + l * H * T * T);
      });
      return largest;
    };
    if (options.nodes) {
      integral.fixed(*options.nodes);
      attribute();
    }
    while (!options.nodes) {
      integral.refine();
      if (!integral.complete()) continue;
      const double allowed = options.tolerance * attribute();
      if (std::abs(integral.defect()) <= allowed || integral.evaluations() >= most_evaluations) break;
    }
    const bool gated = (*parts.blocks)[static_cast<std::size_t>(l)].mlp.gate.has_value();
    result.flop += integral.evaluations() * node_flop(study.info(), T, l, gated);
    result.nodes.push_back(integral.evaluations());
    result.change.push_back(integral.change());
    result.defect.push_back(integral.defect());
  }
  study.progress(1);
  return result;
}

}  // namespace headwater
