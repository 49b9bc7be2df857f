#include "report/focus.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <headwater/error.h>

#include "methods/method.h"
#include "report/running_text.h"
#include "study/terms.h"

namespace headwater {

namespace {

const Method* method_of(const Attribution& attribution) {
  for (const Method* method : all_methods())
    if (method->name == attribution.method) return method;
  return nullptr;
}

bool is_special(const Report& report, std::size_t t) {
  const auto& tokens = report.prediction.tokens;
  return tokens.empty() ? static_cast<int>(t) < report.model.prefix_tokens
                        : t < tokens.size() && tokens[t].special;
}

}  // namespace

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
  if (has_several_tokens(report.target)) return last;
  if (report.target.position >= 0) return std::min<Index>(report.target.position, last);
  return report.model.causal ? last : 0;
}

Index row_named(const Report& report, const std::string& name) {
  const Index count = token_count(report);
  Index position = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), position);
  if (error == std::errc{} && end == name.data() + name.size()) {
    if (position >= 0 && position < count) return position;
  } else {
    std::vector<std::size_t> found;
    for (std::size_t t = 0; t < report.prediction.tokens.size(); ++t)
      if (const TokenView& token = report.prediction.tokens[t];
          token.text == name || token_word(token) == name)
        found.push_back(t);
    if (found.size() == 1) return static_cast<Index>(found.front());
    if (found.size() > 1)
      throw InputError(
          fmt::format("row: expected a token that stands once, found '{}' at {}; give a position", name,
                      fmt::join(found, ", ")));
  }
  throw InputError(
      fmt::format("row: expected a position from 0 to {} or one of the tokens, found '{}'; "
                  "`headwater tokenize` counts them",
                  count - 1, name));
}

std::vector<Index> focus_rows(const Report& report) {
  std::vector<Index> rows;
  const Index last = focus_row(report);
  for (Index row = has_several_tokens(report.target) ? std::min<Index>(report.target.position, last) : last;
       row <= last; ++row)
    rows.push_back(row);
  return rows;
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

// A score per patch stands after the tokens that are no patch, which have none; a token that was not measured
// has none either.
std::vector<double> padded_row(const Report& report, const Attribution& attribution, Index layer, Index row) {
  std::vector<double> weights = row_weights(attribution, layer, row);
  if (has_axis(attribution, "column"))
    weights.insert(weights.begin(), static_cast<std::size_t>(report.model.prefix_tokens),
                   std::numeric_limits<double>::quiet_NaN());
  for (std::size_t t = 0; t < attribution.measured.size() && has_axis(attribution, "token"); ++t)
    if (!attribution.measured[t]) weights[t] = std::numeric_limits<double>::quiet_NaN();
  return weights;
}

}  // namespace

std::vector<double> answer_weights(const Report& report, const Attribution& attribution, Index layer) {
  if (attribution.answer.empty()) return padded_row(report, attribution, layer, focus_row(report));
  return attribution.answer.rows(layer, 1).to_doubles();
}

Tensor answer_rows(const Report& report, const Attribution& attribution) {
  std::vector<double> all;
  const Index layers = layer_count(attribution);
  const std::vector<Index> rows =
      has_axis(attribution, "query") ? focus_rows(report) : std::vector<Index>{focus_row(report)};
  for (Index layer = 0; layer < layers; ++layer) {
    std::vector<double> mean = padded_row(report, attribution, layer, rows.back());
    for (std::size_t k = 0; k + 1 < rows.size(); ++k) {
      const std::vector<double> one = padded_row(report, attribution, layer, rows[k]);
      for (std::size_t j = 0; j < mean.size(); ++j)
        if (!std::isnan(one[j])) mean[j] += one[j];  // what a row may not read adds nothing
    }
    for (double& v : mean) v /= static_cast<double>(rows.size());
    all.insert(all.end(), mean.begin(), mean.end());
  }
  return Tensor::of({layers, static_cast<Index>(all.size()) / layers}, all, attribution.scores.dtype());
}

namespace {

double told_by(const Report& report, const std::vector<double>& row) {
  const auto finite = [&](std::size_t t) { return std::isfinite(row[t]); };
  double sum = 0, count = 0, words = 0, uneven = 0;
  for (std::size_t t = 0; t < row.size(); ++t)
    if (finite(t)) {
      sum += std::abs(row[t]);
      ++count;
    }
  if (!(sum > 0)) return 0;
  const auto own = static_cast<std::size_t>(focus_row(report));
  for (std::size_t t = 0; t < row.size(); ++t)
    if (finite(t)) {
      const double p = std::abs(row[t]) / sum;
      if (t != own && !is_special(report, t)) words += p;
      uneven += 0.5 * std::abs(p - 1 / count);
    }
  return std::min(words, uneven);
}

}  // namespace

Index shown_layer(const Report& report, const Attribution& attribution) {
  const Index layers = layer_count(attribution);
  const Method* method = method_of(attribution);
  const bool by_layer =
      attribution.aggregate.empty() &&
      (has_axis(attribution, "head") || (method != nullptr && method->mixing != Mixing::None));
  if (!by_layer || !has_axis(attribution, "query")) return layers - 1;
  Index best = 0;
  double most = -1;
  for (Index layer = 0; layer < layers; ++layer)
    if (const double told = told_by(report, answer_weights(report, attribution, layer)); told >= most) {
      most = told;
      best = layer;
    }
  return best;
}

bool knows_class(const Attribution& attribution) {
  const Method* method = method_of(attribution);
  return method != nullptr && method->needs_target;
}

double word_scale(const Report& report, const std::vector<double>& weights) {
  double words = 0, all = 0;
  for (std::size_t t = 0; t < weights.size(); ++t) {
    if (!std::isfinite(weights[t])) continue;
    all = std::max(all, std::abs(weights[t]));
    if (!is_special(report, t)) words = std::max(words, std::abs(weights[t]));
  }
  return words > 0 ? words : all;
}

}  // namespace headwater
