#include "engine/agreement.h"

#include <algorithm>
#include <cmath>

#include "numerics/rank_correlation.h"
#include "result/rows.h"

namespace headwater {

namespace {

bool has_rows(const Attribution& result) {
  return result.maps.size() == 1 && has_axis(result, Axis::Layer) && has_axis(result, Axis::Key);
}

struct Correlation {
  double kendall, spearman;
  int units = 0;
};

// The places where both sides have a value: a token that one side left out has no rank.
Correlation correlate(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> x, y;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (std::isfinite(a[i]) && std::isfinite(b[i])) {
      x.push_back(a[i]);
      y.push_back(b[i]);
    }
  return {kendall_tau_b(x, y), spearman(x, y), static_cast<int>(x.size())};
}

// The mean over the rows that have an order on both sides; NaN if there is none.
Correlation over_rows(const Report& report, const Attribution& a, const Attribution& b, Index layer) {
  const Index rows = std::min(a.scores().dim(a.scores().rank() - 2), b.scores().dim(b.scores().rank() - 2));
  double kendall = 0, spearman = 0;
  int counted = 0;
  for (Index row = 0; row < rows; ++row) {
    const Correlation one = correlate(row_weights(report, a, layer, row), row_weights(report, b, layer, row));
    if (std::isnan(one.kendall)) continue;
    kendall += one.kendall;
    spearman += one.spearman;
    ++counted;
  }
  return {kendall / counted, spearman / counted};  // 0/0: no row has an order
}

}  // namespace

std::vector<Agreement> agreement_of(const Report& report) {
  std::vector<Agreement> all;
  for (std::size_t i = 0; i < report.attributions.size(); ++i)
    for (std::size_t j = i + 1; j < report.attributions.size(); ++j) {
      const Attribution &a = report.attributions[i], &b = report.attributions[j];
      if (a.scores().empty() || b.scores().empty()) continue;
      Agreement pair{.first = name_of(a), .second = name_of(b)};
      if (has_rows(a) && has_rows(b))
        for (Index layer = 0; layer < std::min(layer_count(a), layer_count(b)); ++layer) {
          const Correlation one = over_rows(report, a, b, layer);
          pair.kendall.push_back(one.kendall);
          pair.spearman.push_back(one.spearman);
        }
      const Correlation whole = correlate(answer_weights(report, a, layer_count(a) - 1),
                                          answer_weights(report, b, layer_count(b) - 1));
      pair.whole_kendall = whole.kendall;
      pair.whole_spearman = whole.spearman;
      pair.units = whole.units;
      all.push_back(std::move(pair));
    }
  return all;
}

}  // namespace headwater
