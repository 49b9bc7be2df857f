// A linear probe: can a yes or no be read off vectors by a linear map? A ridge regression on ±1 with a free
// bias (numerics/linear_map.h); an answer is right if its sign is.
#pragma once

#include <cstddef>
#include <vector>

namespace headwater {

using Vectors = std::vector<std::vector<double>>;  // of one length

// Which of the vectors are told rightly, each by a probe fitted on all other folds. `fold` numbers the fold of
// every vector. λ = ridge + ridge_share · (mean squared length of the fitted vectors less their mean).
struct Ridge {
  double ridge = 0, ridge_share = 0;
};
std::vector<bool> told_rightly(const Vectors& vectors, const std::vector<bool>& yes,
                               const std::vector<std::size_t>& fold, Ridge ridge);

// The share told rightly by a fit on every second vector, averaged over the two halves, with a ridge of a tenth of
// the mean squared length. NaN if a half has one class alone, or one vector only.
double probe_accuracy(const Vectors& vectors, const std::vector<bool>& yes);

}  // namespace headwater
