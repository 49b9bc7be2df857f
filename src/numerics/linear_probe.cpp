#include "numerics/linear_probe.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "numerics/linear_map.h"

namespace headwater {
namespace {

Tensor stacked(const Vectors& vectors) {
  std::vector<double> all;
  for (const std::vector<double>& x : vectors) all.insert(all.end(), x.begin(), x.end());
  return Tensor::of({static_cast<Index>(vectors.size()), static_cast<Index>(vectors.front().size())}, all);
}

// Σ ‖x − mean‖² / n
double spread_of(const Vectors& vectors) {
  const auto n = static_cast<double>(vectors.size());
  std::vector<double> mean(vectors.front().size(), 0.0);
  for (const std::vector<double>& x : vectors)
    for (std::size_t d = 0; d < mean.size(); ++d) mean[d] += x[d] / n;
  double sum = 0;
  for (const std::vector<double>& x : vectors)
    for (std::size_t d = 0; d < mean.size(); ++d) sum += (x[d] - mean[d]) * (x[d] - mean[d]);
  return sum / n;
}

// Nothing can be learnt from one class, or from one vector repeated.
bool has_something_to_learn(const Vectors& vectors, const std::vector<bool>& yes) {
  return std::set<bool>(yes.begin(), yes.end()).size() == 2 && spread_of(vectors) > 0;
}

}  // namespace

std::vector<bool> told_rightly(const Vectors& vectors, const std::vector<bool>& yes,
                               const std::vector<std::size_t>& fold, Ridge ridge) {
  std::vector<bool> right(vectors.size());
  for (const std::size_t left_out : std::set<std::size_t>(fold.begin(), fold.end())) {
    Vectors seen, unseen;
    std::vector<double> answers;
    std::vector<std::size_t> tested;
    for (std::size_t i = 0; i < vectors.size(); ++i) {
      if (fold[i] == left_out) {
        unseen.push_back(vectors[i]);
        tested.push_back(i);
      } else {
        seen.push_back(vectors[i]);
        answers.push_back(yes[i] ? 1 : -1);
      }
    }
    if (seen.empty()) continue;
    const double lambda = ridge.ridge + ridge.ridge_share * spread_of(seen);
    const LinearMap map =
        RidgeFit(stacked(seen), lambda).fit(Tensor::of({static_cast<Index>(seen.size()), 1}, answers));
    const std::vector<double> said = map(stacked(unseen)).to_doubles();
    for (std::size_t k = 0; k < tested.size(); ++k) right[tested[k]] = (said[k] > 0) == yes[tested[k]];
  }
  return right;
}

double probe_accuracy(const Vectors& vectors, const std::vector<bool>& yes) {
  Vectors halves[2];
  std::vector<bool> answers[2];
  std::vector<std::size_t> fold;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    fold.push_back(i % 2);
    halves[i % 2].push_back(vectors[i]);
    answers[i % 2].push_back(yes[i]);
  }
  for (const std::size_t half : {0, 1})
    if (!has_something_to_learn(halves[half], answers[half])) return std::nan("");
  const std::vector<bool> right = told_rightly(vectors, yes, fold, {.ridge_share = 0.1});
  double told[2] = {0, 0};
  for (std::size_t i = 0; i < right.size(); ++i) told[i % 2] += right[i] ? 1 : 0;
  return (told[0] / static_cast<double>(halves[0].size()) + told[1] / static_cast<double>(halves[1].size())) /
         2;
}

}  // namespace headwater
