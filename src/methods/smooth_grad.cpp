// SmoothGrad (Smilkov et al., 2017): the gradient, averaged over noisy copies of the input,
//
//   ḡ = 1/n Σ_k ∂F/∂x (x + ε_k),   ε_k ~ N(0, σ²),   σ = noise · (max x − min x)
//
// reduced to one number per token as saliency does. The standard error is a delete-a-group jackknife over
// G = 10 groups of samples: with ḡ₋ᵧ the mean without group γ and s the reduction,
//
//   se² = (G − 1)/G Σ_γ (s(ḡ₋ᵧ) − mean_γ s(ḡ₋ᵧ))²
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "explain/checking.h"
#include "explain/gradients.h"
#include "methods/method.h"
#include "numerics/random.h"
#include "study/memory.h"

namespace headwater {

namespace {

constexpr std::size_t most_groups = 10;

struct Settings {
  int samples;
  double noise;
  std::uint64_t seed;
};

Settings settings_of(const MethodOptions& options) {
  const Settings settings{options.integer("samples"), options.number("noise"),
                          static_cast<std::uint64_t>(options.integer("seed"))};
  if (!(settings.noise > 0)) options.refuse("noise", "a number above 0");
  return settings;
}

// Sums of gradients per group of samples, G × [T · D].
using GroupSums = std::vector<std::vector<double>>;

struct Noisy {
  GroupSums sums;
  std::vector<double> counts;
  double sigma;
};

Noisy sample(const Study& study, const Objective& objective, Site at, const Settings& settings) {
  const Tensor x = study.input(at);  // [T, D]
  const std::vector<double> centre = x.to_doubles();
  const auto [low, high] = std::minmax_element(centre.begin(), centre.end());
  const auto n = as_size(settings.samples);
  const std::size_t groups = std::min(most_groups, n);
  Noisy noisy{GroupSums(groups, std::vector<double>(centre.size(), 0.0)), std::vector<double>(groups, 0.0),
              settings.noise * (*high - *low)};
  RandomSequence random(settings.seed);
  const auto most = as_size(copies_at_once(study, gradient_bytes(study.info(), study.size())));
  for (std::size_t begin = 0; begin < n; begin += most) {
    const std::size_t count = std::min(most, n - begin);
    Tensor points(x.shape().with_front(static_cast<Index>(count)), x.dtype());
    dispatch(x.dtype(), [&]<class R>(R) {
      R* to = points.data<R>();
      for (std::size_t k = 0; k < count; ++k)
        for (const double c : centre) *to++ = static_cast<R>(c + noisy.sigma * random.normal());
    });
    const Tensor gradients = gradients_at(study, objective, at, points).gradients;
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t group = (begin + k) % groups;
      const std::vector<double> one = gradients.rows(static_cast<Index>(k), 1).to_doubles();
      for (std::size_t i = 0; i < one.size(); ++i) noisy.sums[group][i] += one[i];
      ++noisy.counts[group];
    }
    study.progress(static_cast<double>(begin + count) / static_cast<double>(n));
  }
  return noisy;
}

// The mean gradient of all groups but `left_out`.
std::vector<double> mean_without(const Noisy& noisy, std::size_t left_out) {
  std::vector<double> mean(noisy.sums.front().size(), 0.0);
  double count = 0;
  for (std::size_t group = 0; group < noisy.sums.size(); ++group) {
    if (group == left_out) continue;
    count += noisy.counts[group];
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += noisy.sums[group][i];
  }
  for (double& v : mean) v /= count;
  return mean;
}

std::vector<double> jackknife(const Noisy& noisy, Index tokens, Reduction reduction) {
  const std::size_t groups = noisy.sums.size();
  std::vector<std::vector<double>> scores;
  for (std::size_t group = 0; group < groups; ++group)
    scores.push_back(reduce(mean_without(noisy, group), tokens, reduction));
  const auto G = static_cast<double>(groups);
  std::vector<double> errors;
  for (std::size_t t = 0; t < as_size(tokens); ++t) {
    double mean = 0, squares = 0;
    for (const auto& s : scores) mean += s[t] / G;
    for (const auto& s : scores) squares += (s[t] - mean) * (s[t] - mean);
    errors.push_back(std::sqrt((G - 1) / G * squares));
  }
  return errors;
}

Attribution run(const Study& study, const MethodOptions& options) {
  const Settings settings = settings_of(options);
  const Objective objective(study, quantity_of(options.text("quantity")));
  const Site at = input_site(options.text("wrt"));
  const Reduction reduction = reduction_of(options.text("reduction"));
  const Noisy noisy = sample(study, objective, at, settings);
  const Index T = study.size();
  const std::vector<double> mean = mean_without(noisy, noisy.sums.size());
  const std::vector<double> scores = reduce(mean, T, reduction);
  const std::vector<double> errors = jackknife(noisy, T, reduction);
  Attribution result{
      .maps = {{.axes = {Axis::Units}, .values = Tensor::of({T}, scores, study.info().dtype)}}};
  const Tensor x = study.input(at);
  const Tensor here = gradients_at(study, objective, at, x.reshaped(x.shape().with_front(1))).gradients;
  if (checks_wanted())
    result.checks.push_back(
        check_gradient(study, objective, at, here.reshaped(here.shape().without_front())));
  result.details.push_back({"standard_error", {Axis::Units}, Tensor::of({T}, errors, study.info().dtype)});
  std::size_t best = 0;
  for (std::size_t t = 0; t < scores.size(); ++t)
    if (std::abs(scores[t]) > std::abs(scores[best])) best = t;
  result.notes.push_back(fmt::format(
      "{} samples, noise of deviation {:.4g}; the largest score is {:.4g} ± {:.2g} (one standard error).",
      settings.samples, noisy.sigma, scores[best], errors[best]));
  if (std::string note = cancelled_sums_note(mean, T, reduction); !note.empty())
    result.notes.push_back(std::move(note));
  return result;
}

std::size_t planned_bytes(const ModelInfo& info, Index tokens, const MethodOptions&) {
  const std::size_t value = site_bytes(info, tokens, Site::ResidPre) / bytes_of(info.dtype) * sizeof(double);
  return gradient_bytes(info, tokens) + one_gradient_bytes(info, tokens) + (most_groups + 6) * value;
}

}  // namespace

extern const Method smooth_grad{
    .name = "smooth_grad",
    .summary = "Saliency averaged over noisy copies of the input, with its sampling error.",
    .title = "SmoothGrad",
    .formula = "score[t] = ‖1/n Σ_k ∂F/∂x[t] (x + ε_k)‖₂,  ε_k ~ N(0, σ²),  σ = noise · (max x − min x)",
    .paper =
        "Smilkov, Thorat, Kim, Viégas and Wattenberg, 2017: SmoothGrad: removing noise by adding noise. ICML "
        "Workshop on Visualization for Deep Learning",
    .cost = "One forward run and one pull per sample, and one more of each to check the gradient.",
    .limits =
        "It shows the slope around the input, at points that belong to no text, and the amount of noise "
        "changes the result. The scores do not add up to anything.",
    .options = {quantity_option,
                {"samples", "integer", "32", "number of noisy copies", 2, 1e5},
                {"noise", "number", "0.1", "standard deviation of the noise as a share of max x − min x"},
                seed_option,
                reduction_option,
                wrt_option},
    .claims = {.nonnegative = true},
    .sites = {Site::ResidPre},
    .tiles = true,
    .needs_target = true,
    .aliases = {"smooth_gradient"},
    .compute = run,
    .planned_bytes = planned_bytes,
};

}  // namespace headwater
