#include "reproductions/shared/maps.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <headwater/error.h>

#include "numerics/rank_correlation.h"

namespace headwater {

Tensor scores_of(const Attribution& result) {
  return result.scores();
}

Tensor only_map(const Attribution& result) {
  const Tensor scores = scores_of(result);
  if (scores.rank() != 4) return scores;
  const Index L = scores.dim(0), H = scores.dim(1), cells = scores.dim(2) * scores.dim(3);
  std::vector<double> mean(static_cast<std::size_t>(L * cells), 0.0);
  for (Index l = 0; l < L; ++l)
    for (Index h = 0; h < H; ++h)
      for (Index i = 0; i < cells; ++i)
        mean[static_cast<std::size_t>(l * cells + i)] +=
            scores.at((l * H + h) * cells + i) / static_cast<double>(H);
  return Tensor::of({L, scores.dim(2), scores.dim(3)}, mean);
}

std::vector<double> answer_in(const Attribution& result, Index layer) {
  const Tensor& rows = result.answer;  // [layers, T]
  std::vector<double> row;
  const Index T = rows.shape().back(), at = std::min(layer, rows.dim(0) - 1);
  for (Index t = 0; t < T; ++t) row.push_back(rows.at(at * T + t));
  return row;
}

Index map_layers(const Attribution& result) {
  return result.answer.dim(0);
}

const Tensor& detail_of(const Attribution& result, std::string_view name) {
  for (const Map& detail : result.details)
    if (detail.name == name) return detail.values;
  throw InternalError(fmt::format("{}: expected a detail {}, found none", result.method, name));
}

std::vector<bool> measured_of(const Attribution& result, std::size_t tokens) {
  return result.measured.empty() ? std::vector<bool>(tokens, true) : result.measured;
}

double rank_agreement(const std::vector<double>& a, const std::vector<double>& b,
                      const std::vector<bool>& among) {
  std::vector<double> x, y;
  for (std::size_t t = 0; t < among.size(); ++t)
    if (among[t] && std::isfinite(a[t]) && std::isfinite(b[t])) {
      x.push_back(a[t]);
      y.push_back(b[t]);
    }
  return spearman(x, y);
}

MeanValue mean_with_error(const std::vector<double>& values) {
  MeanValue found;
  double sum = 0, squares = 0;
  for (const double v : values)
    if (std::isfinite(v)) {
      sum += v;
      ++found.count;
    }
  const auto n = static_cast<double>(found.count);
  found.mean = found.count > 0 ? sum / n : std::numeric_limits<double>::quiet_NaN();
  for (const double v : values)
    if (std::isfinite(v)) squares += (v - found.mean) * (v - found.mean);
  found.deviation = found.count > 1 ? std::sqrt(squares / (n - 1)) : std::numeric_limits<double>::quiet_NaN();
  return found;
}

double median_of(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::string figure(double value, int decimals) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, decimals) : "–";
}

std::string figure(const MeanValue& value, int decimals) {
  if (value.count < 2) return figure(value.mean, decimals);
  return fmt::format("{:.{}f} ± {:.{}f}", value.mean, decimals, value.deviation, decimals);
}

std::string percent(double share) {
  return std::isfinite(share) ? fmt::format("{:.1f} %", 100 * share) : "–";
}

}  // namespace headwater
