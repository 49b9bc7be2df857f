// With Attr_h the attribution of head h's attention A_h to the gold class' probability, loss = −log p(gold),
// and z_h = A_h V_h,
//
//   attattr    I_h = E_x max_ij Attr_h[i, j]
//   attention  I_h = E_x max_ij A_h[i, j]
//   taylor     I_h = E_x |Σ_ij A_h[i, j] ∂loss/∂A_h[i, j]|
//   published  I_h = Σ_x Σ_i |z_h[i] · ∂(Σ logits)/∂z_h[i]| / tokens, then divided by the layer's length
//
// Both gradients are derivatives in a factor s at 1: of s · A_h, or of s · z_h[i]. That is how some of them
// are checked, by running the model with s a little above and below.
#include "heads/importance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>
#include <headwater/error.h>

#include "heads/checks.h"
#include "heads/memory.h"
#include "study/map_checks.h"
#include "study/prediction.h"

namespace headwater {

namespace {

using Scores = std::vector<double>;  // [L · H]

constexpr std::size_t checked_gradients = 8;  // inputs at most whose strongest gradient is checked

// What the inputs add up to.
struct Sums {
  Scores scores;
  int unresolved = 0;
  std::vector<Check> checks;
};

// One input on its way into the sums.
struct Adding {
  const Study& study;
  int gold;
  bool check_gradient;
};

double largest(const Tensor& values, Index begin, Index count) {
  double found = -std::numeric_limits<double>::infinity();
  for (Index i = begin; i < begin + count; ++i) found = std::max(found, values.at(i));
  return found;
}

void add_attattr(const Adding& adding, Sums& sums) {
  const AttentionAttribution found = attribute_checked(adding.study, {}, sums.checks, sums.unresolved);
  const Index cells = found.scores().dim(2) * found.scores().dim(3);
  for (std::size_t h = 0; h < sums.scores.size(); ++h)
    sums.scores[h] += largest(found.scores(), static_cast<Index>(h) * cells, cells);
}

void add_attention(const Adding& adding, Sums& sums) {
  const Study& study = adding.study;
  const auto H = as_size(study.info().last().heads);
  for (int l = 0; l < study.info().last().layers; ++l) {
    const Tensor pattern = study.at(Site::Pattern, l);
    const Index cells = pattern.dim(2) * pattern.dim(3);
    for (std::size_t h = 0; h < H; ++h)
      sums.scores[as_size(l) * H + h] += largest(pattern, static_cast<Index>(h) * cells, cells);
    keep_worst(sums.checks, check_row_sums(pattern));
  }
}

// ∂(−log softmax(logits)[gold])/∂logits
Tensor loss_seed(const Tensor& logits, int gold) {
  std::vector<double> values = softmax(logits.to_doubles());
  values[as_size(gold)] -= 1;
  return Tensor::of(logits.shape(), values, logits.dtype());
}

// −log softmax(logits)[gold]
double loss_of(const Tensor& logits, int gold) {
  const std::vector<double> values = logits.to_doubles();
  const double top = *std::max_element(values.begin(), values.end());
  double sum = 0;
  for (const double v : values) sum += std::exp(v - top);
  return std::log(sum) + top - values[as_size(gold)];
}

// |Σ value · slope| over each stretch of a head's values at a site, and of a head the mean of its stretches:
// its pattern is one, and its outputs are one for each token. `seed` is the function's derivative.
void add_products(const Adding& adding, Site site, const Tensor& seed, const OfLogits& function, Sums& sums) {
  const Study& study = adding.study;
  const Run& run = study.run();
  std::vector<Place> wanted;
  for (int l = 0; l < study.info().last().layers; ++l) wanted.push_back({site, l});
  const Signals signals = run.tape->pull(run.logits, seed, rules::gradient, wanted);
  const Index H = study.info().last().heads;
  Scaled strongest{};  // the largest product of values and their slope, for the check
  double steepest = 0;
  for (int l = 0; l < study.info().last().layers; ++l) {
    const Tensor values = run.at(site, l);
    const Tensor& slope = signals.at(site, l);
    const Index length = site == Site::Pattern ? values.dim(2) * values.dim(3) : values.shape().back() / H;
    const Index stretches = values.size() / length;
    for (Index c = 0; c < stretches; ++c) {
      double product = 0;
      for (Index i = c * length; i < (c + 1) * length; ++i) product += values.at(i) * slope.at(i);
      sums.scores[as_size(l * H + c % H)] += std::abs(product) / static_cast<double>(stretches / H);
      if (std::abs(product) <= std::abs(steepest)) continue;
      strongest = {{site, l}, c * length, length};
      steepest = product;
    }
  }
  if (adding.check_gradient) keep_worst(sums.checks, check_slope(study, strongest, steepest, function));
}

void add_taylor(const Adding& adding, Sums& sums) {
  add_products(
      adding, Site::Pattern, loss_seed(adding.study.run().logits.value, adding.gold),
      [&](const Tensor& logits) { return loss_of(logits, adding.gold); }, sums);
}

void add_taylor_published(const Adding& adding, Sums& sums) {
  const Tensor& logits = adding.study.run().logits.value;
  const OfLogits sum = [](const Tensor& changed) {
    const std::vector<double> values = changed.to_doubles();
    return std::accumulate(values.begin(), values.end(), 0.0);
  };
  add_products(adding, Site::Z, Tensor::full(logits.shape(), logits.dtype(), 1), sum, sums);
}

void divide_by_length_of_layer(Scores& scores, std::size_t H) {
  for (std::size_t l = 0; l < scores.size() / H; ++l) {
    double squares = 0;
    for (std::size_t h = 0; h < H; ++h) squares += scores[l * H + h] * scores[l * H + h];
    for (std::size_t h = 0; squares > 0 && h < H; ++h) scores[l * H + h] /= std::sqrt(squares);
  }
}

void accuracy_differences(const LoadedModel& loaded, std::span<const Labelled> inputs, const Advance& advance,
                          std::size_t batch_tokens, HeadImportance& result) {
  std::vector<HeadMask> masks{all_heads(loaded.info())};  // the whole model, then without each head
  for (std::size_t l = 0; l < masks.front().size(); ++l)
    for (std::size_t h = 0; h < masks.front()[l].size(); ++h) {
      masks.push_back(masks.front());
      masks.back()[l][h] = false;
    }
  const std::vector<std::vector<int>> predicted = classify(loaded, inputs, masks, advance, batch_tokens);
  const double whole = accuracy(inputs, predicted.front());
  for (std::size_t m = 1; m < masks.size(); ++m)
    result.scores.push_back(whole - accuracy(inputs, predicted[m]));
  // Among the others the whole model's run is one that was resumed; alone it is not.
  result.checks = {check_same_classes("no head masked: the plain model's answers", predicted.front(),
                                      classify(loaded, inputs, masks.front(), batch_tokens))};
}

using Add = void (*)(const Adding&, Sums&);
struct Ranking {
  RankingMeaning meaning;
  Add add = nullptr;  // null: heads are masked, over all inputs at once
  StudyKind kind = StudyKind::Patterns;
};
constexpr Ranking rankings[] = {
    {{"attattr", "mean over inputs of the head's largest attribution to the gold label"},
     add_attattr,
     StudyKind::Attributions},
    {{"attention", "mean over inputs of the head's largest attention weight"},
     add_attention,
     StudyKind::Patterns},
    {{"taylor", "mean over inputs of |Σ A ⊙ ∂loss/∂A|"}, add_taylor, StudyKind::Gradients},
    {{"taylor_published", "Σ |z · ∂(sum of logits)/∂z| per token, divided by its length in every layer"},
     add_taylor_published,
     StudyKind::Gradients},
    {{"accuracy_difference", "accuracy of the whole model minus accuracy without the head",
      "the model is better without the head"}}};

const Ranking& find_ranking(const std::string& name) {
  for (const Ranking& known : rankings)
    if (name == known.meaning.name) return known;
  throw InputError(
      fmt::format("ranking: expected one of {}, found '{}'", fmt::join(head_rankings(), ", "), name));
}

}  // namespace

std::vector<std::string> head_rankings() {
  std::vector<std::string> names;
  for (const Ranking& known : rankings) names.emplace_back(known.meaning.name);
  return names;
}

RankingMeaning meaning_of_ranking(std::string_view name) {
  for (const Ranking& known : rankings)
    if (name == known.meaning.name) return known.meaning;
  return {.name = name};
}

HeadImportance head_importance(const LoadedModel& loaded, std::span<const Labelled> inputs,
                               const std::string& ranking, const Advance& advance, std::size_t max_memory) {
  const ModelInfo& info = loaded.info();
  const Ranking& how = find_ranking(ranking);
  const MemoryBound bound = bound_beside(inputs, max_memory);
  HeadImportance result{.ranking = ranking,
                        .layers = info.last().layers,
                        .heads = info.last().heads,
                        .inputs = static_cast<int>(inputs.size())};
  if (how.add == nullptr) {
    accuracy_differences(loaded, inputs, advance, batch_memory(info, inputs, bound).batch_tokens, result);
    return result;
  }
  study_memory(info, how.kind, longest_of(info, inputs), bound);  // refuses before the first is run
  Sums sums{.scores = Scores(as_size(info.last().layers * info.last().heads), 0.0)};
  const std::size_t step = (inputs.size() + checked_gradients - 1) / checked_gradients;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    advance(static_cast<double>(i) / static_cast<double>(inputs.size()));
    const Study study = study_within(loaded, inputs[i], inputs[i].gold, how.kind, bound);
    how.add({study, inputs[i].gold, i % step == 0}, sums);
  }
  result.scores = std::move(sums.scores);
  result.unresolved = sums.unresolved;
  result.checks = std::move(sums.checks);
  for (double& score : result.scores) score /= static_cast<double>(inputs.size());
  if (ranking == "taylor_published") divide_by_length_of_layer(result.scores, as_size(info.last().heads));
  return result;
}

LabelledPlan plan_importance(const LoadedModel& loaded, std::span<const Labelled> inputs,
                             const std::string& ranking, std::size_t max_memory) {
  const ModelInfo& info = loaded.info();
  const Ranking& how = find_ranking(ranking);
  const MemoryBound bound = bound_beside(inputs, max_memory);
  LabelledPlan plan = plan_for(info, inputs);
  plan.bytes = bound.taken;
  if (how.add == nullptr) {
    plan.masks = as_size(info.last().layers * info.last().heads) + 1;
    plan.bytes += batch_memory(info, inputs, bound).total;
  } else {
    plan.studies = inputs.size();
    plan.bytes += study_memory(info, how.kind, longest_of(info, inputs), bound).total;
  }
  return plan;
}

}  // namespace headwater
