// Compiled apart and optimised (tests/CMakeLists.txt): plain loops that take seconds otherwise.
#include "support/reference_flow.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <vector>

namespace headwater::testing {

double augmenting_flow(const Tensor& maps, Index l, Index k, Index t) {
  const Index T = maps.dim(1), nodes = (l + 2) * T, source = (l + 1) * T + k;
  std::vector<double> left(static_cast<std::size_t>(nodes * nodes), 0.0);
  const auto arc = [&](Index from, Index to) -> double& {
    return left[static_cast<std::size_t>(from * nodes + to)];
  };
  for (Index m = 0; m <= l; ++m)
    for (Index i = 0; i < T; ++i)
      for (Index j = 0; j < T; ++j) arc((m + 1) * T + i, m * T + j) = maps.at((m * T + i) * T + j);
  for (double flow = 0;;) {
    std::vector<Index> parent(static_cast<std::size_t>(nodes), -1);
    std::queue<Index> queue({source});
    parent[static_cast<std::size_t>(source)] = source;
    while (!queue.empty() && parent[static_cast<std::size_t>(t)] < 0) {
      const Index u = queue.front(), layer = u / T;
      queue.pop();
      for (Index v = std::max<Index>(0, layer - 1) * T; v < std::min(nodes, (layer + 2) * T); ++v)
        if (parent[static_cast<std::size_t>(v)] < 0 && arc(u, v) > 1e-15) {
          parent[static_cast<std::size_t>(v)] = u;
          queue.push(v);
        }
    }
    if (parent[static_cast<std::size_t>(t)] < 0) return flow;
    double amount = std::numeric_limits<double>::infinity();
    for (Index v = t; v != source; v = parent[static_cast<std::size_t>(v)])
      amount = std::min(amount, arc(parent[static_cast<std::size_t>(v)], v));
    for (Index v = t; v != source; v = parent[static_cast<std::size_t>(v)]) {
      arc(parent[static_cast<std::size_t>(v)], v) -= amount;
      arc(v, parent[static_cast<std::size_t>(v)]) += amount;
    }
    flow += amount;
  }
}

double smallest_cut(const Tensor& maps, Index l, Index k, Index t) {
  const Index T = maps.dim(1);
  const std::size_t sets = std::size_t{1} << T;
  std::vector<double> cut(sets, std::numeric_limits<double>::infinity());
  for (std::size_t s = 0; s < sets; ++s)
    if (((s >> t) & 1U) == 0) cut[s] = 0;
  for (Index m = 0; m <= l; ++m) {
    std::vector<double> above(sets, std::numeric_limits<double>::infinity());
    for (std::size_t s = 0; s < sets; ++s)
      for (std::size_t below = 0; below < sets; ++below) {
        double capacity = cut[below];
        for (Index i = 0; i < T; ++i)
          for (Index j = 0; j < T; ++j)
            if (((s >> i) & 1U) != 0 && ((below >> j) & 1U) == 0) capacity += maps.at((m * T + i) * T + j);
        above[s] = std::min(above[s], capacity);
      }
    cut = std::move(above);
  }
  return cut[std::size_t{1} << k];
}

}  // namespace headwater::testing
