// F is the largest number of the output row that is tested, x the input where it enters the model (the
// embeddings of each stack that reads tokens, or the pixels) and g = ∂F/∂x in the working type:
//
//   patterns      max |Σ_j A_ij − 1|, what lies below 0, and what causal attention gives to later tokens
//   gradient      x is cut into K parts; part k is moved by ±h along its own gradient, in float64:
//                 max_k | (F(x + h u_k) − F(x − h u_k)) / 2h − ‖g_k‖ |  /  max_k | (F(…) − F(…)) / 2h |
//   completeness  on the line from x′, the mean of the input's units (pictures: 0), to x, cut into parts p
//                 where it bends, with Gauss nodes on each:
//                 Σ_p | Σ_k w_k s_k − ΔF_p |  /  Σ_p Σ_k w_k |s_k|,     s_k = ∂F/∂x(x_k) · (x − x′)
//   conservation  relevance that is put in less what arrives, what ops leak and what goes elsewhere, under
//                 rules that conserve but for biases (CP-LRP's)
//   batches       largest difference between the outputs of the input alone and among others: exactly 0
//   precision     largest difference of an output to float64's, as a share of the largest output
//
// A gradient in float32 is compared with differences in float64, whose rounding is negligible: a step of 1e-5
// lengths has almost no curvature and still ten correct digits.
#include "selftest/properties.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "explain/gradients.h"
#include "explain/ledger.h"
#include "numerics/quadrature.h"
#include "selftest/asked_output.h"

namespace headwater {
namespace {

constexpr Rules conserving{.activation = Rules::Activation::Secant,
                           .norm = Rules::Norm::FrozenScale,
                           .softmax = Rules::Softmax::Constant,
                           .product = Rules::Product::Halved};

constexpr std::size_t gradient_parts = 8;
constexpr double step_share = 1e-5;     // as a share of a part's own length
constexpr int part_nodes = 8;           // completeness: nodes on every part of the path
constexpr std::size_t most_parts = 64;  // parts into which the path is cut
constexpr double close_enough = 3e-3;   // more parts are not worth their time

std::vector<Place> sources_in(const AskedOutput& asked, const ModelInfo& info) {
  if (asked.tape.has(Site::Pixels)) return {Site::Pixels};
  std::vector<Place> sources;
  for (int s = 0; s < static_cast<int>(info.stacks.size()); ++s)
    if (asked.tape.has({Site::Embed, 0, s})) sources.emplace_back(Site::Embed, 0, s);
  return sources;
}

// A NaN fails the test.
void judge(TestedProperty& property) {
  property.passed = property.value <= property.bound;
}

double by_type(DType dtype, double single, double exact) {
  return dtype == DType::Float32 ? single : exact;
}

double worse(double a, double b) {  // NaN is the worst
  return std::isnan(a) || a > b ? a : b;
}

// --- patterns ---------------------------------------------------------------------------------------------

double pattern_deviation(const Tensor& pattern, bool causal) {
  const Index queries = pattern.dim(2), keys = pattern.dim(3);
  double worst = 0;
  for (Index row = 0; row < pattern.size() / keys; ++row) {
    double sum = 0;
    for (Index j = 0; j < keys; ++j) {
      const double weight = pattern.at(row * keys + j);
      sum += weight;
      worst = worse(-weight, worst);
      if (causal && j > row % queries) worst = worse(std::abs(weight), worst);
    }
    worst = worse(std::abs(sum - 1), worst);
  }
  return worst;
}

TestedProperty test_patterns(const AskedOutput& asked, const ModelInfo& info) {
  TestedProperty property{.name = "patterns",
                          .promise = "every row of attention sums to 1, no weight is below 0",
                          .measured = "largest deviation of a row",
                          .bound = by_type(info.dtype, 1e-5, 1e-12)};
  int found = 0;
  for (std::size_t s = 0; s < info.stacks.size(); ++s)
    for (int l = 0; l < info.stacks[s].layers; ++l)
      for (const Site site : {Site::Pattern, Site::CrossPattern}) {
        const Place place{site, l, static_cast<int>(s)};
        if (!asked.tape.has(place)) continue;
        ++found;
        const bool causal = site == Site::Pattern && info.stacks[s].causal;
        property.value = worse(pattern_deviation(asked.tape.at(place).value, causal), property.value);
      }
  property.applies = found > 0;
  if (found == 0) property.reason = "the run has no attention";
  judge(property);
  return property;
}

// --- gradient ---------------------------------------------------------------------------------------------

double vector_length(const double* v, std::size_t n) {
  return std::sqrt(std::inner_product(v, v + n, v, 0.0));
}

double gradient_error(const AskedOutput& asked, const AskedOutput& exact, const Place& source) {
  const Tensor gradient =
      asked.tape.pull(asked.logits, asked.seed(asked.logits.value, 1), rules::gradient, {source}).at(source);
  const std::vector<double> g = gradient.to_doubles(), x = exact.tape.at(source).value.to_doubles();
  const std::size_t parts = std::min(gradient_parts, g.size());
  std::vector<double> points, steps, expected;
  for (std::size_t k = 0; k < parts; ++k) {
    const std::size_t begin = g.size() * k / parts, n = g.size() * (k + 1) / parts - begin;
    const double slope = vector_length(&g[begin], n), length = vector_length(&x[begin], n);
    steps.push_back(step_share * (length > 0 ? length : 1));
    expected.push_back(slope);
    for (const double sign : {1.0, -1.0}) {
      points.insert(points.end(), x.begin(), x.end());
      double* moved = points.data() + (points.size() - x.size());
      for (std::size_t i = begin; i < begin + n; ++i)
        moved[i] += sign * steps.back() * (slope > 0 ? g[i] / slope : 1 / std::sqrt(static_cast<double>(n)));
    }
  }
  const Shape shape = exact.tape.at(source).value.shape().without_front();
  const std::vector<double> f =
      at_points(exact, source, Tensor::of(shape.with_front(static_cast<Index>(2 * parts)), points),
                Want::Values)
          .values;
  double largest = 0, apart = 0;
  for (std::size_t k = 0; k < parts; ++k) {
    const double slope = (f[2 * k] - f[2 * k + 1]) / (2 * steps[k]);
    largest = std::max(largest, std::abs(slope));
    apart = worse(std::abs(slope - expected[k]), apart);
  }
  return apart == 0 ? 0 : apart / largest;
}

TestedProperty test_gradient(const AskedOutput& asked, AskedOutput& exact, const ModelInfo& info,
                             const std::vector<Place>& sources) {
  TestedProperty property{.name = "gradient",
                          .promise = "the gradient at the input equals finite differences in float64",
                          .measured = "largest error of a slope, as a share of the largest slope",
                          .bound = by_type(info.dtype, 1e-3, 1e-5)};
  exact.at = asked.at;
  for (const Place& source : sources)
    property.value = worse(gradient_error(asked, exact, source), property.value);
  judge(property);
  return property;
}

// --- completeness -----------------------------------------------------------------------------------------

// The start of the path: every unit at the mean of all units. A single unit starts at half of itself.
std::vector<double> start_of(const Tensor& x, Site site) {
  std::vector<double> from(static_cast<std::size_t>(x.size()), 0.0);
  if (site == Site::Pixels) return from;
  const Index units = x.dim(1), width = x.size() / units;
  for (Index i = 0; i < x.size(); ++i)
    for (Index t = 0; t < (units == 1 ? 0 : units); ++t)
      from[static_cast<std::size_t>(i)] += x.at(t * width + i % width) / static_cast<double>(units);
  if (units == 1)
    for (Index i = 0; i < x.size(); ++i) from[static_cast<std::size_t>(i)] = x.at(i) / 2;
  return from;
}

// A part of the path, and the change that the gradient predicts for it.
struct WayPart {
  double begin, end;     // shares of the path
  double before, after;  // F there
  double sum = 0, variation = 0;
  double gap() const { return std::abs(sum - (after - before)); }
};

class Way {
 public:
  Way(const AskedOutput& asked, const Place& source)
      : asked_(asked),
        source_(source),
        x_(asked.tape.at(source).value),
        to_(x_.to_doubles()),
        from_(start_of(x_, source.site)) {}

  // Σ gaps / Σ variation. The part with the largest gap is halved until the ratio is small or there are many
  // parts.
  double gap() const {
    std::vector<WayPart> parts{measured(0, 1, values_at({0})[0], values_at({1})[0])};
    for (;;) {
      double gaps = 0, variation = 0;
      for (const WayPart& part : parts) {
        gaps += part.gap();
        variation += part.variation;
      }
      const double share = gaps == 0 ? 0 : gaps / variation;
      if (!(share > close_enough) || parts.size() == most_parts) return share;
      const auto worst = std::max_element(
          parts.begin(), parts.end(), [](const WayPart& a, const WayPart& b) { return a.gap() < b.gap(); });
      const WayPart old = *worst;
      const double middle = (old.begin + old.end) / 2, value = values_at({middle})[0];
      *worst = measured(old.begin, middle, old.before, value);
      parts.push_back(measured(middle, old.end, value, old.after));
    }
  }

 private:
  Tensor points(const std::vector<double>& shares) const {
    std::vector<double> values;
    for (const double share : shares)
      for (std::size_t i = 0; i < to_.size(); ++i) values.push_back(from_[i] + share * (to_[i] - from_[i]));
    return Tensor::of(x_.shape().without_front().with_front(static_cast<Index>(shares.size())), values,
                      x_.dtype());
  }

  std::vector<double> values_at(const std::vector<double>& shares) const {
    return at_points(asked_, source_, points(shares), Want::Values).values;
  }

  WayPart measured(double begin, double end, double before, double after) const {
    WayPart part{.begin = begin, .end = end, .before = before, .after = after};
    const std::vector<Node> nodes = quadrature(Rule::Gauss, part_nodes);
    std::vector<double> shares;
    for (const Node& node : nodes) shares.push_back(begin + node.at * (end - begin));
    const Tensor g = at_points(asked_, source_, points(shares), Want::Gradients).gradients;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      double slope = 0;
      for (std::size_t i = 0; i < to_.size(); ++i)
        slope += g.at(static_cast<Index>(k * to_.size() + i)) * (to_[i] - from_[i]);
      part.sum += nodes[k].weight * (end - begin) * slope;
      part.variation += nodes[k].weight * (end - begin) * std::abs(slope);
    }
    return part;
  }

  const AskedOutput& asked_;
  Place source_;
  Tensor x_;
  std::vector<double> to_, from_;
};

TestedProperty test_completeness(const AskedOutput& asked, const ModelInfo&,
                                 const std::vector<Place>& sources) {
  TestedProperty property{.name = "completeness",
                          .promise = "gradients along a path add up to the change of the output",
                          .measured = "gap, as a share of all change along the path",
                          .bound = 1e-2};
  for (const Place& source : sources) property.value = worse(Way(asked, source).gap(), property.value);
  judge(property);
  return property;
}

// --- conservation -----------------------------------------------------------------------------------------

TestedProperty test_conservation(const AskedOutput& asked, const ModelInfo& info,
                                 const std::vector<Place>& sources) {
  Ledger ledger(conserving, info.stacks);
  const Signals signals =
      asked.tape.pull(asked.logits, asked.seed(asked.logits.value, 1), conserving, sources, ledger.watch());
  double arrived = 0;
  for (const Place& source : sources) {
    if (!signals.has(source)) continue;
    const Tensor& m = signals.at(source);
    const Tensor x = asked.tape.at(source).value;
    for (Index i = 0; i < x.size(); ++i) arrived += m.at(i) * x.at(i);
  }
  const Check check = ledger.check_arrived("", arrived);
  return {.name = "conservation",
          .promise = "relevance put in = relevance at the input + losses in the ledger",
          .measured = fmt::format(
              "imbalance; of {:.3g} put in, {:.3g} arrived and {:.3g} stayed in biases and constants",
              ledger.seeded(), arrived, ledger.leaked() + ledger.unfollowed()),
          .passed = check.passed,
          .value = check.value,
          .bound = check.bound};
}

// --- batches and precision --------------------------------------------------------------------------------

TestedProperty test_batches(const AskedOutput& asked, const Model& model, const Batch& batch) {
  TestedProperty property{.name = "batches",
                          .promise = "an output has the same bits alone and among other inputs",
                          .measured = "largest difference"};
  Batch three = repeated(batch, 3);
  reverse_input(three, 1);
  Tape tape(Keep::Nothing);
  const Tensor together = model.run(tape, three).value, alone = asked.logits.value;
  for (const Index copy : {Index{0}, Index{2}})
    for (Index i = 0; i < alone.size(); ++i)
      property.value = worse(std::abs(together.at(copy * alone.size() + i) - alone.at(i)), property.value);
  judge(property);
  return property;
}

TestedProperty test_precision(const AskedOutput& asked, const AskedOutput& exact, const ModelInfo& info) {
  TestedProperty property{.name = "precision",
                          .promise = "outputs in float32 are those of float64",
                          .measured = "largest difference, as a share of the largest output",
                          .bound = 1e-4};
  if (info.dtype == DType::Float64) {
    property.applies = false;
    property.reason = "this run is in float64 already";
    return property;
  }
  double largest = 0, apart = 0;
  for (Index i = 0; i < asked.logits.value.size(); ++i) {
    largest = std::max(largest, std::abs(exact.logits.value.at(i)));
    apart = worse(std::abs(asked.logits.value.at(i) - exact.logits.value.at(i)), apart);
  }
  property.value = apart == 0 ? 0 : apart / largest;
  judge(property);
  return property;
}

}  // namespace

std::vector<TestedProperty> tested_properties(const Model& model, const Model& exact, const Batch& batch) {
  const ModelInfo& info = model.info();
  const AskedOutput asked(model, batch);
  AskedOutput in_double(exact, in_type(batch, exact.info().dtype));
  const std::vector<Place> sources = sources_in(asked, info);
  return {test_patterns(asked, info),
          test_gradient(asked, in_double, info, sources),
          test_completeness(asked, info, sources),
          test_conservation(asked, info, sources),
          test_batches(asked, model, batch),
          test_precision(asked, in_double, info)};
}

}  // namespace headwater
