// For layer l let a·A replace its attention A, with a from 0 to 1. Lower layers keep their values and higher
// ones follow:
//
//   Attr_h = A_h ⊙ ∫₀¹ ∂F(aA)/∂A_h da                                              [H, T, T]
//
// The mix z_h = A_h V_h is linear in a, so with Ḡ = ∫₀¹ ∂F/∂z da  [T, H·E],
//
//   Attr_h[i, j] = A_h[i, j] · ⟨Ḡ_{h,i}, V_h[j]⟩
//
// and the product with V is computed once per layer, whatever the number of nodes. The gradients at a = 1
// come from one pull for all layers together. Layers are processed in groups that fit the memory for tiles,
// and the nodes that all layers of a group need next are evaluated together.
//
// Nodes are added until the estimated error of every attribution (path_integral.cpp) and completeness, Σ Attr
// = F(A) − F(0), are within the tolerance. Completeness is the error of the sum of H T² attributions. It is
// larger than the error of each one if the errors have one sign, and smaller if they cancel.
#include "explain/attention_attribution.h"

#include <algorithm>
#include <cmath>

#include "explain/attention_slopes.h"
#include "explain/gradients.h"
#include "explain/kind_maps.h"
#include "kernels/kernels.h"
#include "numerics/path_integral.h"
#include "study/map_checks.h"
#include "study/memory.h"

namespace headwater {

namespace {

constexpr int most_evaluations = 500;  // per layer; the result shows the remaining error
// A piece is halved after it was evaluated with seven nodes, three more than its first number, and each half
// adds two.
static_assert(AttentionSlopes::most_pieces > most_evaluations / 7);
constexpr double resolution = 64;  // number of roundings that more nodes cannot reduce

// Computes A ⊙ ⟨Ḡ_{h,i}, V_{h,j}⟩ into `to` [H, T, T] and returns the largest magnitude.
template <class R>
double attribute_heads(const Study& study, const MixingStep& step, const std::vector<R>& gradient, R* to) {
  const AttentionKind& kind = step.kind;
  const Tensor pattern = study.at(kind.pattern(step.layer)), v = study.at(kind.at(kind.sites.v, step.layer));
  const Index H = pattern.dim(1), T = pattern.dim(2), S = pattern.dim(3);
  const Index E = static_cast<Index>(gradient.size()) / (T * H), G = v.dim(2) / E;
  std::vector<kernels::GemmTask<R>> tasks;
  for (Index h = 0; h < H; ++h)
    tasks.push_back({gradient.data() + h * E, v.data<R>() + h / (H / G) * E, to + h * T * S});
  kernels::gemm_batch<R>({.m = T, .n = S, .k = E, .transpose_b = true, .lda = H * E, .ldb = G * E}, tasks);
  const R* weight = pattern.data<R>();
  R largest = 0;
  for (Index i = 0; i < H * T * S; ++i) {
    to[i] *= weight[i];
    largest = std::max(largest, std::abs(to[i]));
  }
  return static_cast<double>(largest);
}

// The part of a map with the scores of one attention, [H, T, S]; it shares the map's memory.
Tensor attributed_cells(const AttentionAttribution& found, const MixingStep& step) {
  return map_named(found.maps, step.kind.name)->values.rows(step.layer, 1);
}

// A layer in progress.
struct Layer {
  int number;
  PathIntegral integral;
};

class Attributor {
 public:
  Attributor(const Study& study, const Objective& objective, const AttentionAttributionOptions& options)
      : study_(study), options_(options), slopes_(study, objective), whole_(objective.value()) {
    result_.steps = mixing_steps(study.info());
    const std::size_t L = result_.steps.size();
    result_.maps = maps_of(study, attentions_of(study.info()), HeadAxis::Each);
    result_.nodes.resize(L);
    result_.change.resize(L);
    result_.defect.resize(L);
    result_.rounding.resize(L);
    if (!options.nodes) result_.error.resize(L);
  }

  AttentionAttribution run() {
    const int L = static_cast<int>(result_.steps.size());
    std::vector<Tensor> ends;
    if (!options_.nodes) ends = slopes_.whole_gradients();
    for (int first = 0; first < L;) {
      const int count = slopes_.layers_together(first, options_.nodes ? options_.nodes->size() : first_nodes);
      if (options_.nodes)
        fixed(first, first + count, *options_.nodes);
      else
        adaptive(first, first + count, ends);
      first += count;
      tell_finished();
    }
    study_.progress(1);
    result_.flop = slopes_.flop();
    return std::move(result_);
  }

 private:
  static constexpr std::size_t first_nodes = 3;  // the least number of nodes of a layer
  static constexpr std::size_t portion = 32;     // the most slopes of a fixed rule in memory at once

  void fixed(int first, int last, const std::vector<Node>& nodes) {
    std::vector<ScaledAttention> points, none;
    for (int l = first; l < last; ++l) {
      none.push_back({l, 0});
      for (const Node& node : nodes) points.push_back({l, node.at});
    }
    const std::vector<double> baseline = slopes_.values(none);
    for (int l = first; l < last; ++l) {
      const auto at = as_size(l);
      result_.nodes[at] = static_cast<int>(nodes.size());
      result_.change[at] = whole_ - baseline[at - as_size(first)];
      result_.defect[at] = -result_.change[at];
    }
    std::vector<double> sum;  // of the layer that is being summed
    for (std::size_t begin = 0; begin < points.size(); begin += portion) {
      const auto some = std::span(points).subspan(begin, std::min(portion, points.size() - begin));
      const std::vector<Slope> found = slopes_.at(some, [&](double share) {
        const double done = static_cast<double>(begin) + share * static_cast<double>(some.size());
        progress(first, last, done / static_cast<double>(points.size()));
      });
      for (std::size_t i = 0; i < found.size(); ++i) {
        const std::size_t k = (begin + i) % nodes.size(), at = as_size(some[i].layer);
        add_weighted(nodes[k].weight, found[i], sum);
        result_.defect[at] += nodes[k].weight * found[i].along;
        result_.rounding[at] = std::max(result_.rounding[at], found[i].rounding);
        if (k + 1 < nodes.size()) continue;
        attribute(some[i].layer, sum);
        sum.clear();
      }
    }
  }

  void adaptive(int first, int last, std::vector<Tensor>& ends) {
    std::vector<Layer> going;
    for (int l = first; l < last; ++l)
      going.push_back(
          {l, PathIntegral(
                  {slopes_.whole(l, std::move(ends[as_size(l)]))}, slopes_.growth(l),
                  [this, l](const std::vector<double>& gradient) { return attribute(l, gradient); }, 0,
                  AttentionSlopes::kept_slopes)});
    for (int wave = 0; !going.empty(); ++wave) {
      std::vector<ScaledAttention> points;
      for (const Layer& layer : going)
        for (const double share : layer.integral.wanted()) points.push_back({layer.number, share});
      std::vector<Slope> found = slopes_.at(points, [&](double share) {
        progress(first, last, 1 - std::exp2(-(wave + share)));  // the number of waves is unknown
      });
      auto next = std::make_move_iterator(found.begin());
      for (Layer& layer : going) {
        const auto end = next + static_cast<std::ptrdiff_t>(layer.integral.wanted().size());
        layer.integral.take({next, end});
        next = end;
      }
      std::erase_if(going, [&](Layer& layer) { return finished(layer); });
      if (!going.empty()) tell_finished();
    }
  }

  // Called between waves and windows of layers: finishes the layers that have their nodes.
  void tell_finished() const {
    const std::vector<AttentionKind> kinds = attentions_of(study_.info());
    tell_layers(study_, kinds, result_.maps, [&](std::size_t k, int layer) {
      for (std::size_t at = 0; at < result_.steps.size(); ++at)
        if (result_.steps[at].kind.name == kinds[k].name && result_.steps[at].layer == layer)
          return result_.nodes[at] > 0;
      return false;
    });
  }

  void progress(int first, int last, double share) const {
    study_.progress((first + share * (last - first)) / static_cast<double>(result_.steps.size()));
  }

  // Attributes with the present nodes, and requests more if they do not suffice.
  bool finished(Layer& layer) {
    PathIntegral& integral = layer.integral;
    if (integral.waits()) return false;
    const double largest = attribute(layer.number, integral.gradient());
    const double floor = resolution * epsilon_of(study_.info().dtype);
    const double allowed = std::max(options_.tolerance, floor) * largest;
    const double gap = std::max(0.0, std::abs(integral.defect()) - integral.rounding());
    const bool complete = gap <= options_.tolerance * std::max(largest, std::abs(integral.change()));
    const bool enough = complete && integral.error() <= allowed;
    if (!enough && integral.refine(allowed, most_evaluations - integral.evaluations())) return false;
    const auto at = as_size(layer.number);
    result_.nodes[at] = integral.evaluations();
    result_.change[at] = integral.change();
    result_.defect[at] = integral.defect();
    result_.rounding[at] = integral.rounding();
    result_.error[at] = largest > 0 ? integral.error() / largest : 0;
    return true;
  }

  // Writes the scores into the layer's part of the result, in place of earlier ones, and returns the largest
  // magnitude.
  double attribute(int layer, const std::vector<double>& gradient) {
    return dispatch(study_.info().dtype, [&]<class R>(R) {
      const MixingStep& step = result_.steps[as_size(layer)];
      Tensor own = attributed_cells(result_, step);
      return attribute_heads(study_, step, std::vector<R>(gradient.begin(), gradient.end()),
                             own.template data<R>());
    });
  }

  const Study& study_;
  const AttentionAttributionOptions& options_;
  AttentionSlopes slopes_;
  double whole_;  // F
  AttentionAttribution result_;
};

}  // namespace

double completeness_gap(const AttentionAttribution& found) {
  double worst = 0;
  for (std::size_t at = 0; at < found.steps.size(); ++at) {
    const Tensor cells = attributed_cells(found, found.steps[at]);
    double unit = std::abs(found.change[at]);
    for (Index i = 0; i < cells.size(); ++i) unit = std::max(unit, std::abs(cells.at(i)));
    const double gap = std::max(0.0, std::abs(found.defect[at]) - found.rounding[at]);
    if (gap > 0) worst = std::max(worst, gap / unit);
  }
  return worst;
}

std::optional<double> estimated_error(const AttentionAttribution& found) {
  if (found.error.empty()) return {};
  return *std::max_element(found.error.begin(), found.error.end());
}

bool resolved(const AttentionAttribution& found, double tolerance) {
  return completeness_gap(found) <= tolerance && estimated_error(found).value_or(0) <= tolerance;
}

std::vector<Check> attribution_checks(const AttentionAttribution& found, double tolerance) {
  std::vector<Check> checks{
      check_within("each layer sums to F(A) − F(0)", completeness_gap(found), tolerance)};
  if (const auto error = estimated_error(found))
    checks.push_back(check_within("estimated error of an attribution", *error, tolerance));
  return checks;
}

std::vector<Site> attention_attribution_sites() {
  return {Site::ResidPre, Site::AttnOut, Site::Pattern, Site::V, Site::Z};
}

std::size_t attention_attribution_bytes(const ModelInfo& info, Index tokens) {
  const auto T = as_size(tokens);
  const auto mix = T * as_size(info.last().heads * info.last().head_width);
  const std::size_t scores = as_size((info.last().layers + 1) * info.last().heads) * T * T;
  // The slopes of a layer that are kept, those still to come, and one of every layer.
  const std::size_t slopes = (2 * AttentionSlopes::kept_slopes + as_size(info.last().layers)) * mix;
  return gradient_bytes(info, tokens) + packing_bytes(info, info.dtype) +
         (scores + slopes + 2 * mix) * bytes_of(info.dtype) +
         AttentionSlopes::most_pieces * mix * sizeof(double);
}

AttentionAttribution attribute_attention(const Study& study, const Objective& objective,
                                         const AttentionAttributionOptions& options) {
  return Attributor(study, objective, options).run();
}

}  // namespace headwater
