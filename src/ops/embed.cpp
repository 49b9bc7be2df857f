// y[b, t, :] = table[ids[b][t], :].
//
// A lookup is where a walk ends: ids are not numbers a signal could flow to, so the rows become a leaf of
// the tape, and the gradient "at the embedding" is the signal that arrives there.

#include <algorithm>

#include <fmt/format.h>
#include <headwater/error.h>

#include "ops/ops.h"

namespace headwater {

Var embed(Tape& tape, const Tensor& table, const std::vector<std::vector<int>>& ids, Place place) {
  const auto batch = static_cast<Index>(ids.size());
  const Index tokens = ids.empty() ? 0 : static_cast<Index>(ids.front().size());
  const Index width = table.dim(1);
  Tensor y({batch, tokens, width}, table.dtype());
  for (Index b = 0; b < batch; ++b) {
    const auto& row = ids[as_size(b)];
    if (static_cast<Index>(row.size()) != tokens)
      throw InternalError(
          fmt::format("embed: expected {} tokens in every row, found {}", tokens, row.size()));
    for (Index t = 0; t < tokens; ++t) {
      const Index id = row[as_size(t)];
      if (id < 0 || id >= table.dim(0))
        throw InternalError(fmt::format("embed: expected an id below {}, found {}", table.dim(0), id));
      dispatch(table.dtype(), [&]<class R>(R) {
        std::copy_n(table.data<R>() + id * width, width, y.data<R>() + (b * tokens + t) * width);
      });
    }
  }
  return tape.leaf(std::move(y), place);
}

}  // namespace headwater
