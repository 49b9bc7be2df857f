#include "evaluation/run/variations.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/strings.h"
#include "checkpoint/weights.h"

namespace headwater {

namespace {

bool is_word_table(const std::string& name) {
  return name.ends_with("word_embeddings.weight") || name.ends_with("wte.weight") ||
         name.ends_with("embed_tokens.weight");
}

std::vector<Variation> variations_of(const ChosenMetric& metric, const ModelInfo& info) {
  if (metric.evaluation->variations == nullptr) return {};
  return metric.evaluation->variations(info, metric.options);
}

LoadedModel randomised(const Explainer& explainer, int from, std::uint64_t seed) {
  const ModelInfo& info = explainer.loaded.info();
  return explainer.changed([&](const std::string& name, Tensor& numbers) {
    if (block_of_tensor(name, info.last().layers) >= from)
      numbers = untrained_tensor(numbers.shape(), numbers.dtype(), name, seed, explainer.deviation);
  });
}

LoadedModel shifted(const Explainer& explainer) {
  const ModelInfo& info = explainer.loaded.info();
  if (!explainer.loaded.tokenizer || is_vocabulary(info.task))
    throw Unsupported(
        fmt::format("input_invariance: shifts the embeddings of words that are only read and not predicted, "
                    "and {} has none; use a text classifier",
                    info.architecture));
  return explainer.changed([&](const std::string& name, Tensor& numbers) {
    if (!is_word_table(name)) return;
    dispatch(numbers.dtype(), [&](auto r) {
      using R = decltype(r);
      for (Index i = 0; i < numbers.size(); ++i) numbers.data<R>()[i] += R{1};
    });
  });
}

}  // namespace

int block_of_tensor(const std::string& name, int layers) {
  for (const std::string& part : split(name, '.')) {
    int number = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    if (error == std::errc{} && end == part.data() + part.size() && !part.empty()) return number;
  }
  for (const char* word : {"embed", "wte", "wpe", "cls_token", "patch"})
    if (name.find(word) != std::string::npos) return -1;
  return layers;
}

Variations::Variations(const Explainer& explainer, const std::vector<ChosenMetric>& metrics,
                       std::uint64_t seed)
    : explainer_(explainer) {
  for (const ChosenMetric& metric : metrics)
    for (const Variation& one : variations_of(metric, explainer.loaded.info()))
      if (std::find(wanted_.begin(), wanted_.end(), one) == wanted_.end()) wanted_.push_back(one);
  for (const Variation& one : wanted_) {
    if (one.kind == Variation::Kind::Randomised) models_.emplace(one, randomised(explainer, one.from, seed));
    if (one.kind == Variation::Kind::Shifted) models_.emplace(one, shifted(explainer));
  }
}

std::vector<std::size_t> Variations::of(const ChosenMetric& metric) const {
  std::vector<std::size_t> at;
  for (const Variation& one : variations_of(metric, explainer_.loaded.info()))
    at.push_back(static_cast<std::size_t>(std::find(wanted_.begin(), wanted_.end(), one) - wanted_.begin()));
  return at;
}

std::optional<Target> Variations::other_class(const Report& report) const {
  const Target& target = report.target;
  if (target.contrast || target.span || !target.tokens.empty()) return std::nullopt;
  for (const Outcome& outcome : report.prediction.outcomes) {
    if (outcome.position != target.position) continue;
    for (const Score& score : outcome.top)
      if (score.index != target.index && score.index >= 0)
        return Target{.position = target.position,
                      .index = score.index,
                      .label = score.label,
                      .logit = score.logit,
                      .probability = score.probability};
  }
  return std::nullopt;
}

std::vector<std::optional<Report>> Variations::explained(const Request& request, const Report& report) const {
  std::vector<std::optional<Report>> made;
  for (const Variation& one : wanted_) {
    const auto model = models_.find(one);
    const LoadedModel& with = model == models_.end() ? explainer_.loaded : model->second;
    const std::optional<Target> other =
        one.kind == Variation::Kind::OtherClass ? other_class(report) : report.target;
    made.emplace_back();
    if (!other) continue;
    made.back() = explainer_.explain(with, request, &*other);
    if (one.kind != Variation::Kind::Shifted) continue;
    for (std::size_t i = 0; i < report.prediction.logits.size(); ++i) {
      const double before = report.prediction.logits[i], after = made.back()->prediction.logits[i];
      if (std::abs(after - before) > 1e-3 * std::max(1.0, std::abs(before)))
        throw Unsupported(
            fmt::format("input_invariance: expected a model whose output stays the same when 1 is added to "
                        "all embeddings, found {}, whose logit moves from {:.4f} to {:.4f}",
                        report.model.architecture, before, after));
    }
  }
  return made;
}

}  // namespace headwater
