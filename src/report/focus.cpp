#include "report/focus.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headwater {

bool has_axis(const Attribution& attribution, const char* name) {
  return std::find(attribution.axes.begin(), attribution.axes.end(), name) != attribution.axes.end();
}

Index token_count(const Report& report) {
  if (!report.prediction.tokens.empty()) return static_cast<Index>(report.prediction.tokens.size());
  for (const Attribution& attribution : report.attributions)
    if (!attribution.scores.empty()) return attribution.scores.shape().back();
  return 0;
}

Index focus_row(const Report& report) {
  const Index last = std::max<Index>(0, token_count(report) - 1);
  if (report.target.position >= 0) return std::min<Index>(report.target.position, last);
  return report.model.causal ? last : 0;
}

Index layer_count(const Attribution& attribution) {
  return has_axis(attribution, "layer") ? attribution.scores.dim(0) : 1;
}

std::vector<double> row_weights(const Attribution& attribution, Index layer, Index query) {
  const Tensor& scores = attribution.scores;
  if (has_axis(attribution, "column")) return scores.to_doubles();
  const Index T = scores.shape().back();
  const bool map = has_axis(attribution, "query");
  const Index queries = map ? scores.dim(scores.rank() - 2) : 1;
  const Index heads = has_axis(attribution, "head") ? scores.dim(has_axis(attribution, "layer") ? 1 : 0) : 1;
  const Index row = map ? std::clamp<Index>(query, 0, queries - 1) : 0;
  std::vector<double> weights(static_cast<std::size_t>(T), 0.0);
  for (Index h = 0; h < heads; ++h)
    for (Index j = 0; j < T; ++j)
      weights[static_cast<std::size_t>(j)] +=
          scores.at(((layer * heads + h) * queries + row) * T + j) / static_cast<double>(heads);
  return weights;
}

namespace {

// A score per patch stands after the tokens that are no patch, which have none.
std::vector<double> padded_row(const Report& report, const Attribution& attribution, Index layer, Index row) {
  std::vector<double> weights = row_weights(attribution, layer, row);
  if (has_axis(attribution, "column"))
    weights.insert(weights.begin(), static_cast<std::size_t>(report.model.prefix_tokens),
                   std::numeric_limits<double>::quiet_NaN());
  return weights;
}

}  // namespace

std::vector<double> answer_weights(const Report& report, const Attribution& attribution, Index layer) {
  if (attribution.answer.empty()) return padded_row(report, attribution, layer, focus_row(report));
  return attribution.answer.rows(layer, 1).to_doubles();
}

Tensor answer_rows(const Report& report, const Attribution& attribution) {
  std::vector<double> all;
  const Index layers = layer_count(attribution), row = focus_row(report);
  for (Index layer = 0; layer < layers; ++layer) {
    const std::vector<double> one = padded_row(report, attribution, layer, row);
    all.insert(all.end(), one.begin(), one.end());
  }
  return Tensor::of({layers, static_cast<Index>(all.size()) / layers}, all, attribution.scores.dtype());
}

double word_scale(const Report& report, const std::vector<double>& weights) {
  double words = 0, all = 0;
  for (std::size_t t = 0; t < weights.size(); ++t) {
    if (!std::isfinite(weights[t])) continue;
    all = std::max(all, std::abs(weights[t]));
    const auto& tokens = report.prediction.tokens;
    const bool special = tokens.empty() ? static_cast<int>(t) < report.model.prefix_tokens
                                        : t < tokens.size() && tokens[t].special;
    if (!special) words = std::max(words, std::abs(weights[t]));
  }
  return words > 0 ? words : all;
}

}  // namespace headwater
