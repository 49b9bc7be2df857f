#include "result/rows.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <headwater/error.h>

#include "result/running_text.h"
#include "study/terms.h"
#include "study/token_text.h"

namespace headwater {

namespace {

bool is_special(const Report& report, std::size_t t) {
  const auto& units = report.prediction.units;
  return t < units.size() && units[t].special;
}

// The number of a sequence's first unit among all units.
Index first_unit_of(const Report& report, int sequence) {
  const auto& all = report.prediction.sequences;
  return static_cast<std::size_t>(sequence) < all.size() ? all[static_cast<std::size_t>(sequence)].first : 0;
}

// The map with the row the output is read from: with several kinds of attention the last.
const Map& written_map(const Attribution& attribution) {
  return has_axis(attribution, Axis::Query) ? attribution.maps.back() : attribution.maps.front();
}

// The axes of units, [.., query, key], after layer and head.
int sequence_of(const Map& map, Axis::Kind kind) {
  for (const Axis& axis : map.axes)
    if (axis.kind == kind) return axis.sequence;
  return 0;
}

bool map_has(const Map& map, Axis::Kind kind) {
  return std::any_of(map.axes.begin(), map.axes.end(),
                     [kind](const Axis& axis) { return axis.kind == kind; });
}

}  // namespace

double share_of(const Account& account) {
  return account.of != 0 ? account.sum / account.of : std::numeric_limits<double>::quiet_NaN();
}

bool has_axis(const Attribution& attribution, Axis::Kind kind) {
  return map_has(attribution.maps.front(), kind);
}

Index length_along(const Map& map, Axis::Kind kind) {
  for (std::size_t a = 0; a < map.axes.size(); ++a)
    if (map.axes[a].kind == kind) return map.values.dim(static_cast<int>(a));
  return 1;
}

Index first_unit(const Report& report, const Map& map, Axis::Kind kind) {
  return first_unit_of(report, sequence_of(map, kind));
}

const Sequence* patches_of(const Prediction& prediction) {
  for (const Sequence& sequence : prediction.sequences)
    if (sequence.rows > 0) return &sequence;
  return nullptr;
}

Index first_patch(const Sequence& sequence) {
  return sequence.first + sequence.count - sequence.rows * sequence.columns;
}

Index written_from(const Report& report) {
  return report.prediction.sequences.empty() ? 0 : report.prediction.sequences.back().first;
}

Index unit_count(const Report& report) {
  return static_cast<Index>(report.prediction.units.size());
}

std::vector<Index> rows_read(const Report& report) {
  std::vector<Index> rows;
  for (const Read& read : report.read) rows.push_back(first_unit_of(report, read.sequence) + read.row);
  return rows;
}

std::string read_names(const Report& report) {
  std::string names;
  for (const Index row : rows_read(report)) {
    if (row >= unit_count(report)) break;
    const std::string& text = report.prediction.units[static_cast<std::size_t>(row)].text;
    names += names.empty() ? text : fmt::format(", {}", without_space(text));
  }
  return names;
}

Index row_to_show(const Report& report) {
  const std::vector<Index> rows = rows_read(report);
  // A view that shows none of them has the row that was read in Attribution::answer.
  if (rows.empty())
    return report.model.last().causal ? std::max<Index>(0, unit_count(report) - 1) : written_from(report);
  return has_several_tokens(report.target) ? rows.back() : rows.front();
}

Index row_named(const Report& report, const std::string& name) {
  const Index count = unit_count(report);
  Index position = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), position);
  if (error == std::errc{} && end == name.data() + name.size()) {
    if (position >= 0 && position < count) return position;
  } else {
    std::vector<std::size_t> found;
    for (std::size_t t = 0; t < report.prediction.units.size(); ++t)
      if (const Unit& token = report.prediction.units[t]; token.text == name || token_word(token) == name)
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

Index layer_count(const Attribution& attribution) {
  return length_along(written_map(attribution), Axis::Layer);
}

namespace {

// Adds row `row` of a map's queries.
void add_row(const Map& map, Index layer, Index row, double* to) {
  const Tensor& scores = map.values;
  const Index T = scores.shape().back(), queries = scores.dim(scores.rank() - 2);
  const Index heads = length_along(map, Axis::Head);
  for (Index j = 0; j < T; ++j) {
    to[j] = 0;
    for (Index h = 0; h < heads; ++h)
      to[j] += scores.at(((layer * heads + h) * queries + row) * T + j) / static_cast<double>(heads);
  }
}

}  // namespace

std::vector<double> row_weights(const Report& report, const Attribution& attribution, Index layer,
                                Index query) {
  const Map& map = attribution.maps.front();
  if (!map_has(map, Axis::Query)) {
    if (!map_has(map, Axis::Layer)) return map.values.to_doubles();
    return map.values.rows(layer, 1).to_doubles();
  }
  const bool one = attribution.maps.size() == 1;
  std::vector<double> weights(static_cast<std::size_t>(one ? map.values.shape().back() : unit_count(report)),
                              std::numeric_limits<double>::quiet_NaN());
  for (const Map& part : attribution.maps) {
    const Index row = query - first_unit(report, part, Axis::Query);
    if (!map_has(part, Axis::Query) || row < 0 || row >= part.values.dim(part.values.rank() - 2)) continue;
    if (map_has(part, Axis::Layer) && layer >= part.values.dim(0)) continue;
    add_row(part, layer, row, weights.data() + (one ? 0 : first_unit(report, part, Axis::Key)));
  }
  return weights;
}

namespace {

// Scores per patch come after the tokens that are not patches, which have none; a token that was not measured
// has none either.
std::vector<double> padded_row(const Report& report, const Attribution& attribution, Index layer, Index row) {
  std::vector<double> weights = row_weights(report, attribution, layer, row);
  if (const Sequence* patches = patches_of(report.prediction); patches && has_axis(attribution, Axis::Column))
    weights.insert(weights.begin(), static_cast<std::size_t>(first_patch(*patches)),
                   std::numeric_limits<double>::quiet_NaN());
  for (std::size_t t = 0; t < attribution.measured.size() && has_axis(attribution, Axis::Units); ++t)
    if (!attribution.measured[t]) weights[t] = std::numeric_limits<double>::quiet_NaN();
  return weights;
}

}  // namespace

std::vector<double> answer_weights(const Report& report, const Attribution& attribution, Index layer) {
  if (attribution.answer.empty()) return padded_row(report, attribution, layer, row_to_show(report));
  return attribution.answer.rows(layer, 1).to_doubles();
}

Tensor answer_rows(const Report& report, const Attribution& attribution) {
  std::vector<double> all;
  const Index layers = layer_count(attribution);
  std::vector<Index> rows{row_to_show(report)};
  if (has_axis(attribution, Axis::Query) && !report.read.empty()) rows = rows_read(report);
  for (Index layer = 0; layer < layers; ++layer) {
    std::vector<double> mean = padded_row(report, attribution, layer, rows.back());
    for (std::size_t k = 0; k + 1 < rows.size(); ++k) {
      const std::vector<double> one = padded_row(report, attribution, layer, rows[k]);
      for (std::size_t j = 0; j < mean.size(); ++j)
        if (!std::isnan(one[j])) mean[j] += one[j];  // cells that a row may not read add nothing
    }
    for (double& v : mean) v /= static_cast<double>(rows.size());
    all.insert(all.end(), mean.begin(), mean.end());
  }
  return Tensor::of({layers, static_cast<Index>(all.size()) / layers}, all, attribution.scores().dtype());
}

namespace {

double told_by(const Report& report, const std::vector<double>& row, bool by_size) {
  const auto finite = [&](std::size_t t) { return std::isfinite(row[t]); };
  double sum = 0, count = 0, words = 0, uneven = 0;
  for (std::size_t t = 0; t < row.size(); ++t)
    if (finite(t)) {
      sum += std::abs(row[t]);
      ++count;
    }
  if (!(sum > 0)) return 0;
  const std::vector<Index> own = rows_read(report);
  for (std::size_t t = 0; t < row.size(); ++t)
    if (finite(t)) {
      const double p = std::abs(row[t]) / sum;
      const bool read = std::find(own.begin(), own.end(), static_cast<Index>(t)) != own.end();
      if (!read && !is_special(report, t)) words += p;
      uneven += 0.5 * std::abs(p - 1 / count);
    }
  return std::min(words, uneven) * (by_size ? sum : 1);
}

}  // namespace

Index shown_layer(const Report& report, const Attribution& attribution) {
  const Index layers = layer_count(attribution);
  if (!attribution.traits.by_layer) return layers - 1;
  Index best = 0;
  double most = -1;
  for (Index layer = 0; layer < layers; ++layer)
    if (const double told =
            told_by(report, answer_weights(report, attribution, layer), attribution.traits.of_target);
        told >= most) {
      most = told;
      best = layer;
    }
  return best;
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

double row_scale(const Report& report, const Attribution& attribution, const std::vector<double>& weights) {
  if (has_axis(attribution, Axis::Query)) return word_scale(report, weights);
  double all = 0;
  for (const double v : weights)
    if (std::isfinite(v)) all = std::max(all, std::abs(v));
  return all;
}

}  // namespace headwater
