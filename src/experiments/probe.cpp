// With X the training vectors less their mean [n, D], y = ±1 less its mean, and λ the ridge,
//
//   α = (X Xᵀ + λ I)⁻¹ y,     f(z) = ȳ + Σ_k α_k x_k · (z − x̄)
//
// which is the primal solution (Xᵀ X + λ I)⁻¹ Xᵀ y, in n unknowns instead of D.
#include "experiments/probe.h"

#include <cmath>
#include <numeric>

#include "numerics/cholesky.h"

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

double dot_of(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// Share of `test` classified rightly after fitting `train`; NaN where there is nothing to learn.
double accuracy_after(Half train, Half test, double ridge) {
  const std::size_t n = train.vectors.size();
  if (n < 2 || test.vectors.empty()) return std::nan("");
  std::vector<double> mean(train.vectors.front().size(), 0.0);
  for (const std::vector<double>& x : train.vectors)
    for (std::size_t d = 0; d < mean.size(); ++d) mean[d] += x[d] / static_cast<double>(n);
  for (Half* half : {&train, &test})
    for (std::vector<double>& x : half->vectors)
      for (std::size_t d = 0; d < mean.size(); ++d) x[d] -= mean[d];
  const double bias =
      std::accumulate(train.answers.begin(), train.answers.end(), 0.0) / static_cast<double>(n);
  if (std::abs(bias) == 1) return std::nan("");  // one class alone
  std::vector<double> gram(n * n), alpha(n);
  double trace = 0;
  for (std::size_t i = 0; i < n; ++i) {
    alpha[i] = train.answers[i] - bias;
    for (std::size_t j = 0; j <= i; ++j)
      gram[i * n + j] = gram[j * n + i] = dot_of(train.vectors[i], train.vectors[j]);
    trace += gram[i * n + i];
  }
  for (std::size_t i = 0; i < n; ++i) gram[i * n + i] += ridge * trace / static_cast<double>(n);
  if (!factorise(gram, static_cast<Index>(n))) return std::nan("");
  solve_factorised(gram, static_cast<Index>(n), alpha, 1);
  double right = 0;
  for (std::size_t t = 0; t < test.vectors.size(); ++t) {
    double f = bias;
    for (std::size_t i = 0; i < n; ++i) f += alpha[i] * dot_of(train.vectors[i], test.vectors[t]);
    right += (f > 0) == (test.answers[t] > 0) ? 1 : 0;
  }
  return right / static_cast<double>(test.vectors.size());
}

}  // namespace

double probe_accuracy(const std::vector<std::vector<double>>& vectors, const std::vector<bool>& yes,
                      double ridge) {
  const Half even = half_of(vectors, yes, 0), odd = half_of(vectors, yes, 1);
  return (accuracy_after(even, odd, ridge) + accuracy_after(odd, even, ridge)) / 2;
}

}  // namespace headwater
