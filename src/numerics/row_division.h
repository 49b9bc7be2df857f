// Rows divided by their sums.
#pragma once

#include <cmath>
#include <span>

#include <headwater/tensor.h>

#include "base/as_size.h"

namespace headwater {

// Divides every row of `width` numbers by its sum, in double; NaN marks cells that are none and stays. Where
// each row has one more number beside it, this counts in its sum. Returns how many rows have no sum above 0:
// they are left as they are.
template <class R>
Index divide_rows(std::span<R> values, Index width, std::span<R> beside = {}) {
  Index empty = 0;
  for (std::size_t r = 0; r * as_size(width) < values.size(); ++r) {
    const std::span<R> row = values.subspan(r * as_size(width), as_size(width));
    double sum = beside.empty() ? 0 : static_cast<double>(beside[r]);
    for (const R v : row)
      if (!std::isnan(v)) sum += static_cast<double>(v);
    if (!(sum > 0)) {
      ++empty;
      continue;
    }
    for (R& v : row) v = static_cast<R>(static_cast<double>(v) / sum);
    if (!beside.empty()) beside[r] = static_cast<R>(static_cast<double>(beside[r]) / sum);
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
