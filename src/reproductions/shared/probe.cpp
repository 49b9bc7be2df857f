// A ridge regression on answers of ±1 with a free bias (numerics/linear_map.h), λ a share of the mean squared
// length of the training vectors less their mean; an answer is right if its sign is.
#include "reproductions/shared/probe.h"

#include <cmath>
#include <numeric>

#include "numerics/linear_map.h"

namespace headwater {
namespace {

struct Half {
  std::vector<std::vector<double>> vectors;
  std::vector<double> answers;  // ±1
};

Half half_of(const std::vector<std::vector<double>>& vectors, const std::vector<bool>& yes,
             std::size_t parity) {
  Half half;
  for (std::size_t i = parity; i < vectors.size(); i += 2) {
    half.vectors.push_back(vectors[i]);
    half.answers.push_back(yes[i] ? 1 : -1);
  }
  return half;
}

Tensor stacked(const std::vector<std::vector<double>>& vectors) {
  std::vector<double> all;
  for (const std::vector<double>& x : vectors) all.insert(all.end(), x.begin(), x.end());
  return Tensor::of({static_cast<Index>(vectors.size()), static_cast<Index>(vectors.front().size())}, all);
}

// Σ ‖x − mean‖² / n
double spread_of(const std::vector<std::vector<double>>& vectors) {
  const auto n = static_cast<double>(vectors.size());
  std::vector<double> mean(vectors.front().size(), 0.0);
  for (const std::vector<double>& x : vectors)
    for (std::size_t d = 0; d < mean.size(); ++d) mean[d] += x[d] / n;
  double sum = 0;
  for (const std::vector<double>& x : vectors)
    for (std::size_t d = 0; d < mean.size(); ++d) sum += (x[d] - mean[d]) * (x[d] - mean[d]);
  return sum / n;
}

// Share of `test` classified rightly after fitting `train`; NaN where there is nothing to learn.
double accuracy_after(const Half& train, const Half& test, double ridge) {
  const auto n = static_cast<Index>(train.vectors.size());
  if (n < 2 || test.vectors.empty()) return std::nan("");
  const double sum = std::accumulate(train.answers.begin(), train.answers.end(), 0.0);
  const double spread = spread_of(train.vectors);
  if (std::abs(sum) == static_cast<double>(n) || !(spread > 0))
    return std::nan("");  // one class, or one vector
  const LinearMap map =
      RidgeFit(stacked(train.vectors), ridge * spread).fit(Tensor::of({n, 1}, train.answers));
  const std::vector<double> said = map(stacked(test.vectors)).to_doubles();
  double right = 0;
  for (std::size_t t = 0; t < said.size(); ++t) right += (said[t] > 0) == (test.answers[t] > 0) ? 1 : 0;
  return right / static_cast<double>(said.size());
}

}  // namespace

double probe_accuracy(const std::vector<std::vector<double>>& vectors, const std::vector<bool>& yes,
                      double ridge) {
  const Half even = half_of(vectors, yes, 0), odd = half_of(vectors, yes, 1);
  return (accuracy_after(even, odd, ridge) + accuracy_after(odd, even, ridge)) / 2;
}

}  // namespace headwater
