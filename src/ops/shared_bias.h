// Sharing a bias out among the parts of a decomposition, as DecompX (Modarressi et al., 2023) does: part k of
// a row gets |b · z_k| / (Σ_k |b · z_k| + 1e-12) of b, z_k the part before the bias.
#pragma once

#include <cmath>
#include <vector>

#include "base/parallel.h"
#include "tape/op.h"

namespace headwater {

// parts [S, …, D] += shares of bias [D]; with one part, it gets all there is to get. With `beside`, of the
// same shape, the shares are those of the sums of both: what is added to parts before they meet `beside` is
// then the same as what would be shared out after.
inline void share_bias(Tensor& parts, const Tensor& bias, Index seeds, const Tensor& beside = {}) {
  if (bias.empty()) return;
  const Index width = bias.size(), rows = parts.size() / (seeds * width);
  dispatch(parts.dtype(), [&]<class R>(R) {
    const R* b = bias.data<R>();
    R* all = parts.data<R>();
    const R* more = beside.empty() ? nullptr : beside.data<R>();
    parallel_for(rows, 1 + 65536 / (seeds * width), [&](Index begin, Index end) {
      std::vector<double> weight(as_size(seeds));
      for (Index row = begin; row < end; ++row) {
        double total = 1e-12;
        for (Index s = 0; s < seeds; ++s) {
          const Index at = (s * rows + row) * width;
          double dot = 0;
          for (Index d = 0; d < width; ++d)
            dot += static_cast<double>(b[d]) * static_cast<double>(all[at + d]);
          for (Index d = 0; more != nullptr && d < width; ++d)
            dot += static_cast<double>(b[d]) * static_cast<double>(more[at + d]);
          weight[as_size(s)] = std::abs(dot);
          total += std::abs(dot);
        }
        for (Index s = 0; s < seeds; ++s) {
          R* z = all + (s * rows + row) * width;
          const R share = static_cast<R>(weight[as_size(s)] / total);
          for (Index d = 0; d < width; ++d) z[d] += share * b[d];
        }
      }
    });
  });
}

}  // namespace headwater
