// c_i = N_i / Σ_k N_k. With independent errors of variance s_i² in the N_i, to first order
//
//   var c_i = ((1 − c_i)² s_i² + c_i² Σ_{k≠i} s_k²) / (Σ N)²
#include "methods/hidden_token_attribution/shares.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/as_size.h"
#include "numerics/bootstrap.h"
#include "numerics/rank_correlation.h"

namespace headwater {

namespace {

constexpr std::array<Index, 5> bin_ends{1, 2, 3, 5, 10};  // the last bin has no end

std::size_t bin_of(Index distance) {
  return as_size(std::lower_bound(bin_ends.begin(), bin_ends.end(), distance) - bin_ends.begin());
}

// What share_details reads off one layer.
struct LayerTables {
  Tensor quartiles, not_top, by_distance, spread, entropy;

  LayerTables(Index layers, Index tokens)
      : quartiles({layers, 3}, DType::Float64),
        not_top({layers}, DType::Float64),
        by_distance(Tensor::zeros({layers, tokens}, DType::Float64)),
        spread(Tensor::zeros({layers, static_cast<Index>(bin_ends.size()) + 1}, DType::Float64)),
        entropy(Tensor::zeros({layers, tokens}, DType::Float64)) {}

  void read(const double* map, Index layer, Index T, bool causal) {
    std::vector<double> own;
    std::vector<double> pairs(as_size(T));
    double* distance = by_distance.data<double>() + layer * T;
    double* bins = spread.data<double>() + layer * spread.dim(1);
    double from_others = 0;
    Index others_on_top = 0;
    for (Index j = 0; j < T; ++j) {
      const double* row = map + j * T;
      const Index end = causal ? j + 1 : T;
      own.push_back(row[j]);
      if (*std::max_element(row, row + end) > row[j]) ++others_on_top;
      for (Index i = 0; i < end; ++i) {
        const Index apart = std::abs(i - j);
        distance[apart] += row[i];
        pairs[as_size(apart)] += 1;
        if (row[i] > 0) entropy.data<double>()[layer * T + j] -= row[i] * std::log(row[i]);
        if (apart == 0) continue;
        bins[bin_of(apart)] += row[i];
        from_others += row[i];
      }
    }
    for (Index apart = 0; apart < T; ++apart) distance[apart] /= pairs[as_size(apart)];
    for (Index b = 0; from_others > 0 && b < spread.dim(1); ++b) bins[b] /= from_others;
    std::sort(own.begin(), own.end());
    for (Index q = 0; q < 3; ++q)
      quartiles.data<double>()[layer * 3 + q] = quantile_of_sorted(own, 0.25 * static_cast<double>(q + 1));
    not_top.data<double>()[layer] = 100.0 * static_cast<double>(others_on_top) / static_cast<double>(T);
  }
};

}  // namespace

Shares shares_of(const std::vector<double>& norms, const std::vector<double>& variances, Index tokens) {
  Shares shares{std::vector<double>(norms.size()), std::vector<double>(norms.size())};
  const auto T = as_size(tokens);
  for (std::size_t row = 0; row < norms.size(); row += T) {
    const double sum = std::accumulate(norms.begin() + static_cast<std::ptrdiff_t>(row),
                                       norms.begin() + static_cast<std::ptrdiff_t>(row + T), 0.0);
    if (!(sum > 0)) continue;
    const double all = std::accumulate(variances.begin() + static_cast<std::ptrdiff_t>(row),
                                       variances.begin() + static_cast<std::ptrdiff_t>(row + T), 0.0);
    for (std::size_t i = row; i < row + T; ++i) {
      const double c = norms[i] / sum;
      shares.values[i] = c;
      shares.errors[i] =
          std::sqrt((1 - c) * (1 - c) * variances[i] + c * c * std::max(0.0, all - variances[i])) / sum;
    }
  }
  return shares;
}

std::vector<Map> share_details(const std::vector<double>& shares, Index layers, Index tokens, bool causal) {
  LayerTables tables(layers, tokens);
  for (Index l = 0; l < layers; ++l) tables.read(shares.data() + l * tokens * tokens, l, tokens, causal);
  return {{"self_share_quartiles", {Axis::Layer, Axis("quartile")}, tables.quartiles},
          {"percent_not_own_top", {Axis::Layer}, tables.not_top},
          {"mean_share_by_distance", {Axis::Layer, Axis("distance")}, tables.by_distance},
          {"others_by_distance", {Axis::Layer, Axis("distance_bin")}, tables.spread},
          {"entropy", {Axis::Layer, Axis::Query}, tables.entropy}};
}

Index undecided_rows(const Shares& shares, Index tokens) {
  Index count = 0;
  const auto T = as_size(tokens);
  for (std::size_t row = 0; row < shares.values.size(); row += T) {
    std::size_t first = row, second = row + T;
    for (std::size_t i = row + 1; i < row + T; ++i)
      if (shares.values[i] > shares.values[first]) {
        second = first;
        first = i;
      } else if (second == row + T || shares.values[i] > shares.values[second]) {
        second = i;
      }
    if (second == row + T) continue;
    const double error = std::hypot(shares.errors[first], shares.errors[second]);
    if (error > 0 && shares.values[first] - shares.values[second] < 3 * error) ++count;
  }
  return count;
}

RowCorrelation row_agreement(const double* a, const double* b, Index tokens, bool causal) {
  double of_values = 0, of_ranks = 0, rows = 0;
  for (Index j = 0; j < tokens; ++j) {
    const Index end = causal ? j + 1 : tokens;
    if (end < 3) continue;
    const std::vector<double> x(a + j * tokens, a + j * tokens + end),
        y(b + j * tokens, b + j * tokens + end);
    const double r = pearson(x, y);
    if (std::isnan(r)) continue;
    of_values += r;
    of_ranks += spearman(x, y);
    rows += 1;
  }
  return {of_values / rows, of_ranks / rows};  // 0/0 is NaN: no row counted
}

}  // namespace headwater
