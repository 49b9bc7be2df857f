// How long a vector is.
#pragma once

#include <headwater/tensor.h>

#include "base/as_size.h"

namespace headwater {

// Σ v_k² in double, one after the other.
template <class R>
double squared_length(const R* v, Index n) {
  double sum = 0;
  for (Index k = 0; k < n; ++k) sum += static_cast<double>(v[k]) * static_cast<double>(v[k]);
  return sum;
}
inline double squared_length(const std::vector<double>& v) {
  return squared_length(v.data(), static_cast<Index>(v.size()));
}

}  // namespace headwater
