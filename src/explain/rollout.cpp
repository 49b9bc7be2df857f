// Abnar & Zuidema, 2020. With A_l the mixing of layer l (row-stochastic, residual path included),
//
//   R_0 = A_0,  R_l = A_l R_{l−1}
//
// so that R_l[i, j] is the share of input token j in position i after layer l.
#include "explain/rollout.h"

#include <algorithm>

#include <fmt/format.h>
#include <headwater/error.h>

#include "kernels/kernels.h"
#include "numerics/row_division.h"

namespace headwater {

Fusion fusion_of(std::string_view name) {
  if (name == "mean") return Fusion::Mean;
  if (name == "max") return Fusion::Max;
  if (name == "min") return Fusion::Min;
  throw InternalError(fmt::format("fusion: expected mean, max or min, found '{}'", name));
}

std::vector<double> fuse_heads(const Tensor& patterns, Fusion fusion) {
  const Index H = patterns.dim(patterns.rank() - 3);
  const Index cells = patterns.dim(patterns.rank() - 2) * patterns.dim(patterns.rank() - 1);
  std::vector<double> fused(as_size(cells));
  dispatch(patterns.dtype(), [&](auto r) {
    const auto* from = patterns.template data<decltype(r)>();
    for (Index c = 0; c < cells; ++c) {
      auto value = static_cast<double>(from[c]);
      for (Index h = 1; h < H; ++h) {
        const auto next = static_cast<double>(from[h * cells + c]);
        if (fusion == Fusion::Mean) value += next;
        if (fusion == Fusion::Max) value = std::max(value, next);
        if (fusion == Fusion::Min) value = std::min(value, next);
      }
      fused[as_size(c)] = fusion == Fusion::Mean ? value / static_cast<double>(H) : value;
    }
  });
  return fused;
}

void discard_smallest(std::vector<double>& map, Index keys, double ratio, bool causal) {
  std::vector<Index> cells;
  for (Index c = 0; c < static_cast<Index>(map.size()); ++c)
    if (!causal || c % keys <= c / keys) cells.push_back(c);
  const auto dropped = static_cast<std::ptrdiff_t>(ratio * static_cast<double>(cells.size()));
  const auto value = [&](Index c) { return map[as_size(c)]; };
  std::partial_sort(cells.begin(), cells.begin() + dropped, cells.end(),
                    [&](Index a, Index b) { return value(a) != value(b) ? value(a) < value(b) : a < b; });
  for (auto it = cells.begin(); it != cells.begin() + dropped; ++it) map[as_size(*it)] = 0;
}

Index mix_with_identity(std::vector<double>& map, Index tokens, double residual) {
  Index empty = -1;
  for (Index i = 0; i < tokens; ++i) {
    double* row = map.data() + i * tokens;
    for (Index j = 0; j < tokens; ++j) row[j] *= 1 - residual;
    row[i] += residual;
    if (divide_rows(std::span(row, as_size(tokens)), tokens) > 0 && empty < 0) empty = i;
  }
  return empty;
}

void roll_out(Tensor& maps) {
  const Index T = maps.dim(1);
  std::vector<double> mixing(as_size(T * T));
  for (Index layer = 1; layer < maps.dim(0); ++layer) {
    double* current = maps.data<double>() + layer * T * T;
    std::copy_n(current, T * T, mixing.data());
    kernels::gemm<double>({.m = T, .n = T, .k = T}, mixing.data(), current - T * T, current);
  }
}

}  // namespace headwater
