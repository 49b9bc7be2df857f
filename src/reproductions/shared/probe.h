// A linear probe: can a yes or no be read off vectors by a linear map?
#pragma once

#include <vector>

namespace headwater {

// Share of vectors classified rightly by a ridge regression on ±1, fitted on the vectors of even number and
// tested on those of odd number, then the other way round. `ridge` is a share of the mean squared length. NaN
// if a half has one class alone.
double probe_accuracy(const std::vector<std::vector<double>>& vectors, const std::vector<bool>& yes,
                      double ridge = 0.1);

}  // namespace headwater
