// Integrated gradients (Sundararajan, Taly & Yan, 2017). On the straight line from a baseline x′ to the input
// x, with nodes α_k and weights w_k of a quadrature on [0, 1],
//
//   score_t = Σ_d (x − x′)_td Σ_k w_k ∂F/∂x_td (x′ + α_k (x − x′)),     Σ_t score_t → F(x) − F(x′)
//
// The right-hand side is completeness: it tells the error of the sum, in which those of the scores may
// cancel. By default nodes are added (numerics/path_integral.h) until the estimated error of every score
// is at most tolerance · max |score|, and the gap |Σ score − (F(x) − F(x′))| at most tolerance · |F(x) −
// F(x′)|.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <span>

#include <fmt/format.h>
#include <headwater/error.h>

#include "blocks/recognise.h"
#include "explain/gradients.h"
#include "explain/replacement.h"
#include "methods/method.h"
#include "numerics/path_integral.h"
#include "numerics/quadrature.h"
#include "study/map_checks.h"
#include "study/memory.h"

namespace headwater {

namespace {

constexpr int first_level = 1, least_nodes = 7;  // of nested_rule.h, that adaptive nodes begin with
constexpr double resolution = 64;                // roundings that more nodes cannot mend
constexpr double most_growth = 4;                // beyond, nodes crowd where nothing is known to happen

// The path and what is measured on it.
struct Path {
  const Study& study;
  const Objective& objective;
  Site at;
  Tensor from, to;  // [T, D]
  double change;    // F(to) − F(from)
};

struct Integral {
  std::vector<double> scores;    // [T]
  double gap = 0;                // |Σ scores − change|
  double mass = 0, largest = 0;  // Σ |scores|, max |scores|
  std::optional<double> error;   // estimated, of the score that is off most; none for a fixed rule
  std::size_t nodes = 0;
  bool cut_by_time = false;  // or its tolerance, or the most nodes, ended it
  int nodes_needed = 0;      // about, of a fixed rule, for the sum to be within the tolerance; 0: unknown
};

// Points of the path at these places, [n, T, D].
Tensor points_at(const Path& path, std::span<const double> places) {
  Tensor points(path.to.shape().with_front(static_cast<Index>(places.size())), path.to.dtype());
  dispatch(points.dtype(), [&]<class R>(R) {
    const auto a = path.from.values<R>(), b = path.to.values<R>();
    R* x = points.data<R>();
    for (const double at : places)
      for (std::size_t i = 0; i < a.size(); ++i)
        *x++ = static_cast<R>(static_cast<double>(a[i]) +
                              at * (static_cast<double>(b[i]) - static_cast<double>(a[i])));
  });
  return points;
}

// Σ_d (x − x′) g of every token, [T]: a score is their integral.
std::vector<double> node_shares(const Path& path, const Tensor& gradients, Index row) {
  const Index T = path.to.dim(0), D = path.to.dim(1);
  std::vector<double> shares;
  dispatch(path.to.dtype(), [&]<class R>(R) {
    const R *a = path.from.data<R>(), *b = path.to.data<R>(), *g = gradients.data<R>() + row * T * D;
    for (Index t = 0; t < T; ++t) {
      double sum = 0;
      for (Index i = t * D; i < (t + 1) * D; ++i)
        sum += (static_cast<double>(b[i]) - static_cast<double>(a[i])) * static_cast<double>(g[i]);
      shares.push_back(sum);
    }
  });
  return shares;
}

// Slopes at these places, with a token's share for a gradient: node by node the same whatever the batch.
std::vector<Slope> slopes_at(const Path& path, std::span<const double> places,
                             const std::function<void(std::size_t)>& advance) {
  const auto most = as_size(copies_at_once(path.study, gradient_bytes(path.study.info(), path.study.size())));
  std::vector<Slope> slopes;
  while (slopes.size() < places.size()) {
    const auto some = places.subspan(slopes.size(), std::min(most, places.size() - slopes.size()));
    const Points points = gradients_at(path.study, path.objective, path.at, points_at(path, some));
    for (std::size_t k = 0; k < some.size(); ++k) {
      const std::vector<double> shares = node_shares(path, points.gradients, static_cast<Index>(k));
      slopes.push_back({.gradient = Tensor::of({path.to.dim(0)}, shares),
                        .along = std::accumulate(shares.begin(), shares.end(), 0.0),
                        .value = points.values[k],
                        .rounding = points.rounding});
    }
    advance(some.size());
  }
  return slopes;
}

double largest_of(const std::vector<double>& scores) {
  double largest = 0;
  for (const double score : scores) largest = std::max(largest, std::abs(score));
  return largest;
}

Integral integral_of(const Path& path, std::vector<double> scores, std::size_t nodes) {
  Integral integral{.scores = std::move(scores), .error = {}, .nodes = nodes};
  double sum = 0;
  for (const double score : integral.scores) {
    sum += score;
    integral.mass += std::abs(score);
  }
  integral.largest = largest_of(integral.scores);
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
  if (settings.max_steps < least_nodes) options.refuse("max_steps", fmt::format("at least {}", least_nodes));
  if (settings.steps == 0 && settings.rule != Rule::Gauss)
    throw InputError(fmt::format(
        "integrated_gradients: option rule: expected a number of steps with it, such as steps=50, found {} "
        "alone",
        options.text("rule")));
  if (!(settings.tolerance > 0)) options.refuse("tolerance", "a number above 0");
  return settings;
}

Integral with_fixed_nodes(const Path& path, const Settings& settings) {
  constexpr std::size_t portion = 64;  // nodes that are held at once
  const std::vector<Node> nodes = quadrature(settings.rule, settings.steps);
  std::vector<double> sum, places;
  for (const Node& node : nodes) places.push_back(node.at);
  std::vector<double> along;
  std::size_t done = 0;
  for (std::size_t begin = 0; begin < nodes.size(); begin += portion) {
    const auto some = std::span(places).subspan(begin, std::min(portion, nodes.size() - begin));
    const std::vector<Slope> slopes = slopes_at(path, some, [&](std::size_t count) {
      path.study.progress(static_cast<double>(done += count) / static_cast<double>(nodes.size()));
    });
    for (std::size_t k = 0; k < slopes.size(); ++k) {
      add_weighted(nodes[begin + k].weight, slopes[k], sum);
      along.push_back(slopes[k].along);
    }
  }
  Integral integral = integral_of(path, std::move(sum), nodes.size());
  const double allowed = allowed_gap(path, settings.tolerance, integral.mass);
  if (integral.gap > allowed)
    integral.nodes_needed = nodes_to_reach(settings.rule, along, integral.gap, allowed);
  return integral;
}

// How much what the first norm divides by grows on the way: from a baseline of zeros, where it is √ε, by a
// lot.
double growth_of(const Path& path) {
  const std::optional<PlainBlock> first = plain_block(path.study.tape(), {});
  if (path.at != Site::ResidPre || !first || !first->pre_norm) return 0;
  const NormWeights& norm = first->weights.attention_norm;
  const std::size_t D = as_size(path.to.dim(1));
  const auto divisor = [&](const double* x) {
    double sum = 0, squares = 0;
    for (std::size_t d = 0; d < D; ++d) {
      sum += x[d];
      squares += x[d] * x[d];
    }
    const double mean = norm.beta.empty() ? 0 : sum / static_cast<double>(D);
    return std::sqrt(std::max(0.0, squares / static_cast<double>(D) - mean * mean) + norm.eps);
  };
  const std::vector<double> from = path.from.to_doubles(), to = path.to.to_doubles();
  double most = 1;
  for (std::size_t i = 0; i < to.size(); i += D) most = std::max(most, divisor(&to[i]) / divisor(&from[i]));
  return std::min(most - 1, most_growth);
}

Integral adaptive(const Path& path, const Settings& settings) {
  PathIntegral integral({}, growth_of(path), largest_of, first_level);
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const double floor = resolution * epsilon_of(path.to.dtype());
  std::size_t done = 0;
  bool cut = false;  // the last wave was not all that the tolerance asks for; no other may follow, so that as
                     // many nodes give the same ones again
  for (int wave = 0;; ++wave) {
    const std::vector<double> places = integral.wanted();
    const std::size_t before = done;
    integral.take(slopes_at(path, places, [&](std::size_t count) {
      done += count;
      const double share = static_cast<double>(done - before) / static_cast<double>(places.size());
      path.study.progress(1 - std::exp2(-(wave + share)));  // nobody knows how many waves will come
    }));
    Integral found = integral_of(path, integral.gradient(), done);
    found.error = integral.error();
    found.cut_by_time = cut;
    const double allowed = std::max(settings.tolerance, floor) * found.largest;
    const bool enough =
        *found.error <= allowed && found.gap <= allowed_gap(path, settings.tolerance, found.mass);
    if (enough || found.cut_by_time) return found;
    const int most = settings.max_steps - static_cast<int>(done);
    int in_time = most;
    if (path.study.until) {
      const double left = std::chrono::duration<double>(*path.study.until - Clock::now()).count();
      const double each =
          std::chrono::duration<double>(Clock::now() - start).count() / static_cast<double>(done);
      in_time = static_cast<int>(std::clamp(left / each, 0.0, static_cast<double>(most)));
    }
    // What the most nodes would have looked at tells whether the time cut it short.
    PathIntegral unhurried = integral;
    if (!unhurried.refine(allowed, most)) return found;
    const bool more = integral.refine(allowed, in_time);
    cut = unhurried.wanted().size() > integral.wanted().size();
    if (!more) {
      found.cut_by_time = true;
      return found;
    }
  }
}

// Upwards, to two digits: what a message says is enough must be.
std::string at_least(double value) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 1);
  return fmt::format("{:.2g}", std::ceil(value / unit * (1 - 1e-9)) * unit);
}

// Of scores that are not within the tolerance.
std::string what_would_pass(const Path& path, const Integral& integral, const Settings& settings) {
  const double sum = path.change != 0 ? integral.gap / std::abs(path.change) : 0;
  const double score = integral.error && integral.largest > 0 ? *integral.error / integral.largest : 0;
  std::string note =
      fmt::format("After {} nodes the sum misses F(x) − F(baseline) by {:.2g} of it", integral.nodes, sum);
  if (integral.error) note += fmt::format(", and a score may be off by {:.2g} of the largest", score);
  note += fmt::format("; tolerance={} would pass.", at_least(std::max(sum, score)));
  if (integral.error)  // the same for both, as the command that repeats it names the nodes
    return note +
           " These were all that max_steps or the budget allowed: allow more, or choose a baseline nearer to "
           "the input.";
  if (integral.nodes_needed > 0)
    note += fmt::format(" About {} steps would reach {}.", integral.nodes_needed, settings.tolerance);
  return note + " Without steps, nodes are added where they are needed.";
}

void explain_path(const Path& path, const Integral& integral, const Settings& settings, Replacement baseline,
                  Attribution& result) {
  result.notes.push_back(
      fmt::format("Baseline: {}. {} nodes; F goes from {:.6g} to {:.6g}, and the scores miss the change of "
                  "{:.6g} by {:.2g}.",
                  describe(baseline), integral.nodes, path.objective.value() - path.change,
                  path.objective.value(), path.change, integral.gap));
  if (baseline == Replacement::Zero && path.study.info().pre_norm)
    result.notes.emplace_back(
        "The baseline is zero in a pre-norm model: the first norm undoes the scale, so almost the whole path "
        "from zero looks the same to the model and the change happens at its very start. This takes many "
        "nodes, and the scores say more about the norm's epsilon than about the text; prefer mask, pad or "
        "mean.");
  if (!integral.error)
    result.notes.emplace_back(
        "The rule is fixed: only the sum is checked, in which errors of single scores may cancel. Without "
        "steps, nodes are added until every score is within the tolerance.");
  if (std::any_of(result.checks.begin(), result.checks.end(), [](const Check& c) { return !c.passed; }))
    result.notes.push_back(what_would_pass(path, integral, settings));
}

Attribution run(const Study& study, const MethodOptions& options) {
  const Settings settings = settings_of(options);
  const Objective objective(study, quantity_of(options.text("quantity")));
  const Replacement baseline = replacement_of(options.text("baseline"), study);
  const Site at = input_site(options.text("wrt"));
  const bool keep = options.text("special_tokens") == "keep";
  const std::vector<bool> kept =
      keep ? special_tokens(study) : std::vector<bool>(as_size(study.size()), false);
  Path path{study, objective, at, baseline_at(study, at, baseline, kept), study.input(at), 0};
  path.change = objective.value() -
                values_at(study, objective, at, path.from.reshaped(path.from.shape().with_front(1))).front();
  const Integral integral = settings.steps > 0 ? with_fixed_nodes(path, settings) : adaptive(path, settings);
  Attribution result{.maps = {{.axes = {Axis::Units},
                               .values = Tensor::of({path.to.dim(0)}, integral.scores, study.info().dtype)}}};
  result.measured = moved_tokens(path.from, path.to);
  const double allowed = allowed_gap(path, settings.tolerance, integral.mass);
  result.checks.push_back(check_within("scores add up to F(x) − F(baseline)", integral.gap, allowed));
  const auto& scores = integral.scores;
  result.accounted = {.sum = std::accumulate(scores.begin(), scores.end(), 0.0),
                      .of = path.change,
                      .what = "the change of F from the baseline"};
  if (integral.error) {
    const double share = integral.largest > 0 ? *integral.error / integral.largest : 0;
    result.checks.push_back(check_within("estimated error of a score", share, settings.tolerance));
  }
  if (integral.cut_by_time) result.options = {{"max_steps", std::to_string(integral.nodes)}};
  explain_path(path, integral, settings, baseline, result);
  return result;
}

std::size_t planned_bytes(const ModelInfo& info, Index tokens, const MethodOptions& options) {
  // A node leaves a share per token, and what is known of it.
  const std::size_t node = sizeof(Slope) + 2 * as_size(tokens) * sizeof(double) + 128;
  const auto nodes = as_size(std::max(options.integer("steps"), options.integer("max_steps")));
  return gradient_bytes(info, tokens) + packing_bytes(info, info.dtype) + nodes * node +
         8 * site_bytes(info, tokens, Site::ResidPre);
}

}  // namespace

extern const Method integrated_gradients{
    .name = "integrated_gradients",
    .summary =
        "What each token adds to the output on the path from a baseline input; scores sum to the change of "
        "the output.",
    .formula =
        "score[t] = Σ_d (x − x′)[t,d] · ∫₀¹ ∂F/∂x[t,d] (x′ + α (x − x′)) dα;  Σ_t score[t] = F(x) − F(x′)",
    .paper = "Sundararajan, Taly and Yan, 2017: Axiomatic Attribution for Deep Networks. ICML",
    .cost =
        "One forward run and one pull per node: 7 nodes where they suffice, 13 or more where the estimated "
        "error of a score requires it, and the most where relu bends the path.",
    .limits =
        "The scores depend on the baseline, and the straight path to it leaves what the model has seen. A "
        "zero baseline in a pre-norm model measures the norm. The error of the scores is estimated, not "
        "bounded. Where many relus bend the path, max_steps may not suffice for the tolerance, and the check "
        "says so.",
    .options = {quantity_option,
                {"baseline", "auto|mask|unk|pad|zero|mean|black", "auto",
                 "where the path starts; auto: mask where there is one, otherwise mean (of the token "
                 "embeddings of the unit's own sequence, or of the picture's colour); black for images; zero "
                 "is zero at wrt"},
                {"special_tokens", "keep|replace", "keep",
                 "special tokens keep their own embedding in the baseline, or are replaced too"},
                {"steps", "integer", "0",
                 "a fixed number of nodes; 0: nodes are added until the tolerance is met", 0, 10000},
                {"rule", "gauss|left|right|midpoint|trapezoid", "gauss",
                 "the quadrature rule for a fixed number of nodes"},
                {"tolerance", "number", "0.01",
                 "allowed error of any score, as a share of the largest, and of their sum, as a share of "
                 "F(x) − F(x′)"},
                {"max_steps", "integer", "512", "largest number of nodes", 1, 10000},
                wrt_option},
    .sites = {Site::ResidPre},
    .tiles = true,
    .refines = true,
    .needs_target = true,
    .aliases = {"ig"},
    .role = Role::Answer,
    .compute = run,
    .planned_bytes = planned_bytes,
};

}  // namespace headwater
