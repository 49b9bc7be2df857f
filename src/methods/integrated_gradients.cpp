// Integrated gradients (Sundararajan, Taly & Yan, 2017). On the straight line from a baseline x′ to the input
// x, with nodes α_k and weights w_k of a quadrature on [0, 1],
//
//   score_t = Σ_d (x − x′)_td Σ_k w_k ∂F/∂x_td (x′ + α_k (x − x′)),     Σ_t score_t → F(x) − F(x′)
//
// The right-hand side is completeness. By default Gauss–Legendre nodes are doubled, 8, 16, …, until the gap
// |Σ score − (F(x) − F(x′))| is at most tolerance · |F(x) − F(x′)|.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <headwater/error.h>

#include "attribution/gradients.h"
#include "attribution/quadrature.h"
#include "attribution/replacement.h"
#include "methods/method.h"
#include "study/memory.h"

namespace headwater {

namespace {

constexpr int first_nodes = 8;

// The path and what is measured on it.
struct Path {
  const Study& study;
  const Objective& objective;
  Place at;
  Tensor from, to;  // [T, D]
  double change;    // F(to) − F(from)
};

struct Integral {
  std::vector<double> scores;  // [T]
  double gap = 0;              // |Σ scores − change|
  double mass = 0;             // Σ |scores|
  std::size_t nodes = 0;
};

// Points of the path at the nodes [begin, begin + count), [count, T, D].
Tensor points_at(const Path& path, const std::vector<Node>& nodes, std::size_t begin, std::size_t count) {
  Tensor points(path.to.shape().with_front(static_cast<Index>(count)), path.to.dtype());
  dispatch(points.dtype(), [&](auto r) {
    using R = decltype(r);
    const auto a = path.from.values<R>(), b = path.to.values<R>();
    R* x = points.data<R>();
    for (std::size_t k = begin; k < begin + count; ++k)
      for (std::size_t i = 0; i < a.size(); ++i)
        *x++ = static_cast<R>(static_cast<double>(a[i]) +
                              nodes[k].at * (static_cast<double>(b[i]) - static_cast<double>(a[i])));
  });
  return points;
}

// scores += w_k Σ_d (x − x′) g_k, node by node, so that the batch does not matter.
void add_node(const Path& path, const Tensor& gradients, Index row, double weight, Integral& integral) {
  const Index T = path.to.dim(0), D = path.to.dim(1);
  dispatch(path.to.dtype(), [&](auto r) {
    using R = decltype(r);
    const R *a = path.from.data<R>(), *b = path.to.data<R>(), *g = gradients.data<R>() + row * T * D;
    for (Index t = 0; t < T; ++t) {
      double sum = 0;
      for (Index i = t * D; i < (t + 1) * D; ++i)
        sum += (static_cast<double>(b[i]) - static_cast<double>(a[i])) * static_cast<double>(g[i]);
      integral.scores[static_cast<std::size_t>(t)] += weight * sum;
    }
  });
}

// Nodes evaluated so far, of the most there may be: doubling must not set progress back.
struct Budget {
  std::size_t done = 0, most = 0;
};

Integral integrate(const Path& path, const std::vector<Node>& nodes, Budget& budget) {
  Integral integral{.scores = std::vector<double>(static_cast<std::size_t>(path.to.dim(0)), 0.0),
                    .nodes = nodes.size()};
  const auto most = static_cast<std::size_t>(
      copies_at_once(path.study, gradient_bytes(path.study.info(), path.study.tokens())));
  for (std::size_t begin = 0; begin < nodes.size(); begin += most) {
    const std::size_t count = std::min(most, nodes.size() - begin);
    const Points points =
        gradients_at(path.study, path.objective, path.at, points_at(path, nodes, begin, count));
    for (std::size_t k = 0; k < count; ++k)
      add_node(path, points.gradients, static_cast<Index>(k), nodes[begin + k].weight, integral);
    budget.done += count;
    path.study.progress(static_cast<double>(budget.done) / static_cast<double>(budget.most));
  }
  double sum = 0;
  for (const double score : integral.scores) {
    sum += score;
    integral.mass += std::abs(score);
  }
  integral.gap = std::abs(sum - path.change);
  return integral;
}

// What the gap may be: the tolerance, and never less than the working type can resolve.
double allowed_gap(const Path& path, double tolerance, double mass) {
  const bool single = path.to.dtype() == DType::Float32;
  return std::max(tolerance * std::abs(path.change), (single ? 1e-5 : 1e-12) * mass);
}

struct Settings {
  int steps, max_steps;
  double tolerance;
  Rule rule;
};

Settings settings_of(const MethodOptions& options) {
  const Settings settings{options.integer("steps"), options.integer("max_steps"), options.number("tolerance"),
                          rule_of(options.text("rule"))};
  const auto refuse = [](std::string_view option, std::string_view expected, auto found) {
    throw InputError(
        fmt::format("integrated_gradients: option {}: expected {}, found {}", option, expected, found));
  };
  if (settings.max_steps < first_nodes)
    refuse("max_steps", fmt::format("at least {}", first_nodes), settings.max_steps);
  if (!(settings.tolerance > 0)) refuse("tolerance", "a number above 0", settings.tolerance);
  return settings;
}

Integral integrate(const Path& path, const Settings& settings) {
  Budget budget;
  if (settings.steps > 0) {
    budget.most = static_cast<std::size_t>(settings.steps);
    return integrate(path, quadrature(settings.rule, settings.steps), budget);
  }
  for (int n = first_nodes; n <= settings.max_steps; n *= 2) budget.most += static_cast<std::size_t>(n);
  for (int n = first_nodes;; n *= 2) {
    Integral integral = integrate(path, quadrature(settings.rule, n), budget);
    if (integral.gap <= allowed_gap(path, settings.tolerance, integral.mass) || 2 * n > settings.max_steps)
      return integral;
  }
}

void explain_path(const Path& path, const Integral& integral, Replacement baseline, Attribution& result) {
  result.notes.push_back(
      fmt::format("Baseline: {}. {} nodes; F goes from {:.6g} to {:.6g}, and the scores miss the change of "
                  "{:.6g} by {:.2g}.",
                  describe(baseline), integral.nodes, path.objective.value() - path.change,
                  path.objective.value(), path.change, integral.gap));
  if (baseline == Replacement::Zero && path.study.info().pre_norm)
    result.notes.emplace_back(
        "A zero baseline in a pre-norm model: the first norm undoes the scale, so almost all of the way from "
        "zero looks the same to the model and the change happens at its very start. Nodes hardly see it, and "
        "scores say more about the norm's epsilon than about the text; prefer mask, pad or mean.");
  if (!result.checks.back().passed)
    result.notes.emplace_back(
        "The scores do not add up to the change of the output within the tolerance: raise max_steps or "
        "steps, "
        "use rule=gauss, or choose a baseline nearer to the input.");
}

Attribution run(const Study& study, const MethodOptions& options) {
  const Settings settings = settings_of(options);
  const Objective objective(study, quantity_of(options.text("quantity")));
  const Replacement baseline = replacement_of(options.text("baseline"), study);
  const Place at = input_place(options.text("wrt"));
  const bool keep = options.text("special_tokens") == "keep";
  const std::vector<bool> kept =
      keep ? special_tokens(study) : std::vector<bool>(static_cast<std::size_t>(study.tokens()), false);
  const Tensor x = study.at(at.site, at.layer);
  Path path{
      study, objective, at, baseline_at(study, at, baseline, kept), x.reshaped(x.shape().without_front()), 0};
  path.change = objective.value() -
                values_at(study, objective, at, path.from.reshaped(path.from.shape().with_front(1))).front();
  const Integral integral = integrate(path, settings);
  Attribution result{.method = "integrated_gradients", .options = options.all(), .axes = {"token"}};
  result.scores = Tensor::of({path.to.dim(0)}, integral.scores, study.info().dtype);
  result.measured = moved_tokens(path.from, path.to);
  const double allowed = allowed_gap(path, settings.tolerance, integral.mass);
  result.checks.push_back({.name = "scores add up to F(x) − F(baseline)",
                           .passed = integral.gap <= allowed,
                           .value = integral.gap,
                           .bound = allowed});
  explain_path(path, integral, baseline, result);
  return result;
}

std::size_t planned_bytes(const ModelInfo& info, Index tokens, const MethodOptions&) {
  return gradient_bytes(info, tokens) + 8 * site_bytes(info, tokens, Site::ResidPre);
}

}  // namespace

extern const Method integrated_gradients;
const Method integrated_gradients{
    .name = "integrated_gradients",
    .summary =
        "What each token adds to the output on the way from a neutral input; scores add up to the change.",
    .question = Question::Answer,
    .formula =
        "score[t] = Σ_d (x − x′)[t,d] · ∫₀¹ ∂F/∂x[t,d] (x′ + α (x − x′)) dα;  Σ_t score[t] = F(x) − F(x′)",
    .paper = "Sundararajan, Taly and Yan, 2017: Axiomatic Attribution for Deep Networks. ICML",
    .cost = "One forward run and one backward walk per node; 8, 16, 32 … nodes until the sum is right.",
    .limits =
        "The answer depends on the baseline, and the straight way to it leaves what the model has seen. A "
        "zero baseline in a pre-norm model measures the norm.",
    .options = {{"quantity", "logit|probability", "logit",
                 "what F is: the target's logit or its probability"},
                {"baseline", "auto|mask|unk|pad|zero|mean|black", "auto",
                 "where the path starts; auto: mask where there is one, otherwise mean (of the input's own "
                 "token embeddings, or of the picture's colour); black for images; zero is zero at wrt"},
                {"special_tokens", "keep|replace", "keep",
                 "special tokens keep their own embedding in the baseline, or are replaced too"},
                {"steps", "integer", "0", "a fixed number of nodes; 0: doubled until the tolerance is met", 0,
                 10000},
                {"rule", "gauss|left|right|midpoint|trapezoid", "gauss", "the quadrature"},
                {"tolerance", "number", "0.01", "allowed gap as a share of |F(x) − F(x′)|"},
                {"max_steps", "integer", "256", "the most nodes that doubling may reach", 1, 10000},
                {"wrt", "e0|embed", "e0",
                 "the input of the first block (positions and embedding norm included) or the token "
                 "embeddings alone"}},
    .sites = {Site::ResidPre},
    .tiles = true,
    .needs_target = true,
    .run = run,
    .planned_bytes = planned_bytes,
};

}  // namespace headwater
