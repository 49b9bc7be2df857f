// With Attr_h the attribution of head h's attention A_h to the gold class' probability, loss = −log p(gold),
// and z_h = A_h V_h,
//
//   attattr    I_h = E_x max_ij Attr_h[i, j]
//   attention  I_h = E_x max_ij A_h[i, j]
//   taylor     I_h = E_x |Σ_ij A_h[i, j] ∂loss/∂A_h[i, j]|
//   published  I_h = Σ_x Σ_i |z_h[i] · ∂(Σ logits)/∂z_h[i]| / tokens, then divided by the layer's length
#include "heads/importance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <headwater/error.h>

#include "attribution/attention_attribution.h"

namespace headwater {

namespace {

using Scores = std::vector<double>;  // [L · H]

// What the inputs add up to.
struct Sums {
  Scores scores;
  int unresolved = 0;
};

double largest(const Tensor& values, Index begin, Index count) {
  double found = -std::numeric_limits<double>::infinity();
  for (Index i = begin; i < begin + count; ++i) found = std::max(found, values.at(i));
  return found;
}

void add_attattr(const Reader& reader, const Labelled& one, Sums& sums) {
  const Study study = study_of(reader, one, one.gold, attention_attribution_sites());
  const AttentionAttributionOptions options;
  const AttentionAttribution found =
      attribute_attention(study, Objective(study, Quantity::Probability), options);
  const Index cells = found.scores.dim(2) * found.scores.dim(3);
  for (std::size_t h = 0; h < sums.scores.size(); ++h)
    sums.scores[h] += largest(found.scores, static_cast<Index>(h) * cells, cells);
  if (!resolved(found, options.tolerance)) ++sums.unresolved;
}

void add_attention(const Reader& reader, const Labelled& one, Sums& sums) {
  const Study study = study_of(reader, one, one.gold, {Site::Pattern});
  const auto H = static_cast<std::size_t>(reader.info().heads);
  for (int l = 0; l < reader.info().layers; ++l) {
    const Tensor pattern = study.at(Site::Pattern, l);
    const Index cells = pattern.dim(2) * pattern.dim(3);
    for (std::size_t h = 0; h < H; ++h)
      sums.scores[static_cast<std::size_t>(l) * H + h] +=
          largest(pattern, static_cast<Index>(h) * cells, cells);
  }
}

// ∂(−log softmax(logits)[gold])/∂logits
Tensor loss_seed(const Tensor& logits, int gold) {
  std::vector<double> values = logits.to_doubles();
  const double top = *std::max_element(values.begin(), values.end());
  double sum = 0;
  for (double& v : values) sum += v = std::exp(v - top);
  for (double& v : values) v /= sum;
  values[static_cast<std::size_t>(gold)] -= 1;
  return Tensor::of(logits.shape(), values, logits.dtype());
}

void add_taylor(const Reader& reader, const Labelled& one, Sums& sums) {
  const Study study = study_of(reader, one, one.gold, {});
  const Run& run = study.run();
  std::vector<Wanted> wanted;
  for (int l = 0; l < reader.info().layers; ++l) wanted.push_back({Site::Pattern, l});
  const Signals signals =
      run.tape->pull(run.logits, loss_seed(run.logits.value, one.gold), rules::gradient, wanted);
  const Index H = reader.info().heads;
  for (int l = 0; l < reader.info().layers; ++l) {
    const Tensor pattern = run.at(Site::Pattern, l);
    const Tensor& slope = signals.at(Site::Pattern, l);
    const Index cells = pattern.dim(2) * pattern.dim(3);
    for (Index h = 0; h < H; ++h) {
      double product = 0;
      for (Index c = h * cells; c < (h + 1) * cells; ++c) product += pattern.at(c) * slope.at(c);
      sums.scores[static_cast<std::size_t>(l * H + h)] += std::abs(product);
    }
  }
}

void add_taylor_published(const Reader& reader, const Labelled& one, Sums& sums) {
  const Study study = study_of(reader, one, one.gold, {});
  const Run& run = study.run();
  std::vector<Wanted> wanted;
  for (int l = 0; l < reader.info().layers; ++l) wanted.push_back({Site::Z, l});
  const std::vector<double> ones(static_cast<std::size_t>(run.logits.value.size()), 1.0);
  const Tensor seed = Tensor::of(run.logits.value.shape(), ones, run.logits.value.dtype());
  const Signals signals = run.tape->pull(run.logits, seed, rules::gradient, wanted);
  const Index H = reader.info().heads, T = study.tokens();
  for (int l = 0; l < reader.info().layers; ++l) {
    const Tensor z = run.at(Site::Z, l);
    const Tensor& slope = signals.at(Site::Z, l);
    const Index E = z.shape().back() / H;
    for (Index i = 0; i < T; ++i)
      for (Index h = 0; h < H; ++h) {
        double product = 0;
        for (Index e = 0; e < E; ++e) product += z.at((i * H + h) * E + e) * slope.at((i * H + h) * E + e);
        sums.scores[static_cast<std::size_t>(l * H + h)] += std::abs(product) / static_cast<double>(T);
      }
  }
}

void divide_by_length_of_layer(Scores& scores, std::size_t H) {
  for (std::size_t l = 0; l < scores.size() / H; ++l) {
    double squares = 0;
    for (std::size_t h = 0; h < H; ++h) squares += scores[l * H + h] * scores[l * H + h];
    for (std::size_t h = 0; squares > 0 && h < H; ++h) scores[l * H + h] /= std::sqrt(squares);
  }
}

Scores accuracy_differences(const Reader& reader, std::span<const Labelled> inputs, const Advance& advance) {
  std::vector<HeadMask> masks{all_heads(reader.info())};  // the whole model, then without each head
  for (std::size_t l = 0; l < masks.front().size(); ++l)
    for (std::size_t h = 0; h < masks.front()[l].size(); ++h) {
      masks.push_back(masks.front());
      masks.back()[l][h] = false;
    }
  const std::vector<std::vector<int>> predicted = classify(reader, inputs, masks, advance);
  const double whole = accuracy(inputs, predicted.front());
  Scores scores;
  for (std::size_t m = 1; m < masks.size(); ++m) scores.push_back(whole - accuracy(inputs, predicted[m]));
  return scores;
}

}  // namespace

std::vector<std::string> head_rankings() {
  return {"attattr", "attention", "taylor", "taylor_published", "accuracy_difference"};
}

HeadImportance head_importance(const Reader& reader, std::span<const Labelled> inputs,
                               const std::string& ranking, const Advance& advance) {
  const ModelInfo& info = reader.info();
  HeadImportance result{.ranking = ranking,
                        .layers = info.layers,
                        .heads = info.heads,
                        .inputs = static_cast<int>(inputs.size())};
  using Add = void (*)(const Reader&, const Labelled&, Sums&);
  const Add add = ranking == "attattr"            ? add_attattr
                  : ranking == "attention"        ? add_attention
                  : ranking == "taylor"           ? add_taylor
                  : ranking == "taylor_published" ? add_taylor_published
                                                  : nullptr;
  if (ranking == "accuracy_difference") {
    result.scores = accuracy_differences(reader, inputs, advance);
    return result;
  }
  if (add == nullptr)
    throw InputError(
        fmt::format("ranking: expected one of {}, found '{}'", fmt::join(head_rankings(), ", "), ranking));
  Sums sums{.scores = Scores(static_cast<std::size_t>(info.layers * info.heads), 0.0)};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    advance(static_cast<double>(i) / static_cast<double>(inputs.size()));
    add(reader, inputs[i], sums);
  }
  result.scores = std::move(sums.scores);
  result.unresolved = sums.unresolved;
  for (double& score : result.scores) score /= static_cast<double>(inputs.size());
  if (ranking == "taylor_published")
    divide_by_length_of_layer(result.scores, static_cast<std::size_t>(info.heads));
  return result;
}

}  // namespace headwater
