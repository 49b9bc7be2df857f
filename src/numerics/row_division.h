// Rows divided by their sums.
#pragma once

#include <cmath>
#include <span>

#include <headwater/tensor.h>

#include "base/as_size.h"

namespace headwater {

// Divides every row of `width` numbers by its sum, in double; NaN marks cells that are none and stays.
// Returns how many rows have no sum above 0: they are left as they are.
template <class R>
Index divide_rows(std::span<R> values, Index width) {
  Index empty = 0;
  for (R* row = values.data(); row != values.data() + values.size(); row += width) {
    double sum = 0;
    for (Index j = 0; j < width; ++j)
      if (!std::isnan(row[j])) sum += static_cast<double>(row[j]);
    if (!(sum > 0)) {
      ++empty;
      continue;
    }
    for (Index j = 0; j < width; ++j) row[j] = static_cast<R>(static_cast<double>(row[j]) / sum);
  }
  return empty;
}

// The same where each row has one more number beside it, which counts in its sum.
template <class R>
Index divide_rows(std::span<R> values, Index width, std::span<R> beside) {
  Index empty = 0;
  R* row = values.data();
  for (R& more : beside) {
    double sum = static_cast<double>(more);
    for (Index j = 0; j < width; ++j)
      if (!std::isnan(row[j])) sum += static_cast<double>(row[j]);
    if (!(sum > 0)) {
      ++empty;
    } else {
      for (Index j = 0; j < width; ++j) row[j] = static_cast<R>(static_cast<double>(row[j]) / sum);
      more = static_cast<R>(static_cast<double>(more) / sum);
    }
    row += width;
  }
  return empty;
}

// The rows are the last axis.
inline Index divide_rows(Tensor& map) {
  Index empty = 0;
  dispatch(map.dtype(), [&]<class R>(R) {
    empty = divide_rows(std::span(map.data<R>(), as_size(map.size())), map.shape().back());
  });
  return empty;
}

}  // namespace headwater
