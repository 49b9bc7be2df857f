// One column of attention flow. With A_l the capacities of layer l, F_l[k] the largest flow from (l, k) to
// the sink t and G_l the largest flow from all nodes of layer l together,
//
//   F_0[k] = A_0[k, t],   F_1[k] = Σ_p min(A_1[k, p], F_0[p])
//   F_l[k] ≤ min(G_{l−1}, Σ_p min(A_l[k, p], F_{l−1}[p])),   G_l ≤ G_{l−1},   G_0 = Σ_p A_0[p, t]
//   F_l[k] ≥ max Σ_p λ_p F_{l−1}[p]   over λ ≥ 0, Σ λ ≤ 1, λ_p F_{l−1}[p] ≤ A_l[k, p]
//
// The last line mixes the best flows of the layer below; it is a fractional knapsack, filled from the largest
// F on, and never less than the product A_l F_{l−1} of stochastic maps, hence F ≥ rollout. Where both bounds
// meet the value is proved; elsewhere it is a maximum flow from the supplies A_l[k, :] at layer l − 1, ended
// as soon as it reaches its upper bound.
//
// Closure. Let F_l[k] = u for every k and let every row sum of the layers l … be at least u. If u = G_l, or
// all those row sums equal u, then F_m[k] = u for every k and m ≥ l: the knapsack gives u, and no cut allows
// more.
//
// One query alone. Sharing what reaches a node out over its arcs in proportion (A stochastic: one step of
// rollout) is a flow, so the row rolled down to a lower layer m is a supply the query can deliver there; if
// that reaches the upper bound, in a network of m layers instead of l, the value is proved.
#include "numerics/column_flow.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace headwater {

namespace {

std::size_t size(Index n) {
  return static_cast<std::size_t>(n);
}

FlowUnits sum_of_minima(const FlowUnits* a, const FlowUnits* b, Index T) {
  FlowUnits sum = 0;
  for (Index p = 0; p < T; ++p) sum += std::min(a[p], b[p]);
  return sum;
}

// Adds to `to` what a node that holds `amount` sends over arcs with these capacities, in proportion to them.
// Double arithmetic may miss a share by a unit; the rest goes wherever there is room, so that nothing is
// lost.
void share_out(const FlowUnits* arcs, FlowUnits total, FlowUnits amount, Index T, std::vector<FlowUnits>& to,
               std::vector<FlowUnits>& share) {
  FlowUnits rest = std::min(amount, total);
  if (rest == 0) return;
  const double part = static_cast<double>(rest) / static_cast<double>(total);
  for (Index q = 0; q < T; ++q) {
    const auto wished = static_cast<FlowUnits>(part * static_cast<double>(arcs[q]));
    share[size(q)] = std::min({wished, arcs[q], rest});
    rest -= share[size(q)];
  }
  for (Index q = 0; q < T; ++q) {
    const FlowUnits more = std::min(rest, arcs[q] - share[size(q)]);
    to[size(q)] += share[size(q)] + more;
    rest -= more;
  }
}

}  // namespace

QuerySupply supply_of(const Capacities& capacities, Index layer, Index query) {
  const Index T = capacities.T;
  QuerySupply supply{layer, query, std::vector<std::vector<FlowUnits>>(size(layer))};
  std::vector<FlowUnits> share(size(T));
  for (Index m = layer - 1; m >= 0; --m) {
    std::vector<FlowUnits>& to = supply.at[size(m)];
    if (m == layer - 1) {
      to.assign(capacities.row(layer, query), capacities.row(layer, query) + T);
      continue;
    }
    to.assign(size(T), 0);
    for (Index p = 0; p < T; ++p)
      share_out(capacities.row(m + 1, p), capacities.row_sum(m + 1, p), supply.at[size(m + 1)][size(p)], T,
                to, share);
  }
  return supply;
}

ColumnFlow::ColumnFlow(const Capacities& capacities)
    : capacities_(capacities),
      network_(capacities),
      lowest_(size(capacities.L)),
      highest_(size(capacities.L)),
      last_(size(capacities.T)),
      next_(size(capacities.T)),
      order_(size(capacities.T)) {
  FlowUnits lowest = std::numeric_limits<FlowUnits>::max(), highest = 0;
  for (Index l = capacities.L - 1; l >= 0; --l) {
    for (Index k = 0; k < capacities.T; ++k) {
      lowest = std::min(lowest, capacities.row_sum(l, k));
      highest = std::max(highest, capacities.row_sum(l, k));
    }
    lowest_[size(l)] = lowest;
    highest_[size(l)] = highest;
  }
}

void ColumnFlow::start(Index t) {
  network_.choose_sink(t);
  for (Index k = 0; k < capacities_.T; ++k) last_[size(k)] = capacities_.row(0, k)[t];
  ceiling_ = std::accumulate(last_.begin(), last_.end(), FlowUnits{0});
}

int ColumnFlow::all(Index t, const Write& write, const Step& step) {
  const Index L = capacities_.L, T = capacities_.T;
  start(t);
  int closed_at = -1;
  for (Index l = 0; l < L; ++l) {
    if (closed_at >= 0) {
      counts.closed += T;
    } else if (l > 0) {
      std::iota(order_.begin(), order_.end(), Index{0});
      std::stable_sort(order_.begin(), order_.end(),
                       [&](Index a, Index b) { return last_[size(a)] > last_[size(b)]; });
      for (Index k = 0; k < T; ++k) next_[size(k)] = value(l, k);
      std::swap(last_, next_);
    } else {
      counts.direct += T;
    }
    for (Index k = 0; k < T; ++k) write(l, k, last_[size(k)]);
    if (closed_at < 0 && closes(l)) closed_at = static_cast<int>(l);
    step();
  }
  return closed_at;
}

FlowUnits ColumnFlow::at_most(Index l, Index k) const {
  return std::min(ceiling_, sum_of_minima(capacities_.row(l, k), last_.data(), capacities_.T));
}

double ColumnFlow::at_least(Index l, Index k) const {
  const FlowUnits* row = capacities_.row(l, k);
  double room = 1, value = 0;
  for (const Index p : order_) {
    const auto flow = static_cast<double>(last_[size(p)]), arc = static_cast<double>(row[p]);
    if (flow == 0) break;
    if (arc >= room * flow) return value + room * flow;
    room -= arc / flow;
    value += arc;
  }
  return value;
}

FlowUnits ColumnFlow::value(Index l, Index k) {
  const FlowUnits most = at_most(l, k);
  if (l == 1) {
    ++counts.direct;
    return most;
  }
  // Values are whole, and double errs by far less than half a unit: more than most − 1/2 means most.
  const double least = at_least(l, k);
  if (least > static_cast<double>(most) - 0.5) {
    ++counts.certified;
    bound_violation = std::max(bound_violation, static_cast<FlowUnits>(least + 0.5) - most);
    return most;
  }
  ++counts.solved;
  const FlowUnits flow = network_.solve(l - 1, capacities_.row(l, k), most);
  bound_violation = std::max(bound_violation, static_cast<FlowUnits>(least + 0.5) - flow);
  return flow;
}

// Whether last_ = F_l closes the column; lowers the ceiling to G_l on the way.
bool ColumnFlow::closes(Index l) {
  if (l == 0) return ceiling_ == 0;
  const auto [least, most] = std::minmax_element(last_.begin(), last_.end());
  if (*most < ceiling_) {
    const std::vector<FlowUnits> unbounded(size(capacities_.T), ceiling_);
    ceiling_ = network_.solve(l, unbounded.data(), ceiling_);
  }
  const FlowUnits u = *least;
  return u == *most && lowest_[size(l)] >= u && (u == ceiling_ || u == highest_[size(l)]);
}

FlowUnits ColumnFlow::one(Index t, const QuerySupply& from) {
  start(t);
  const Index l = from.layer;
  if (l <= 1) {
    ++counts.direct;
    return l == 0 ? last_[size(from.query)]
                  : sum_of_minima(capacities_.row(1, from.query), last_.data(), capacities_.T);
  }
  const FlowUnits most = std::min(ceiling_, capacities_.row_sum(l, from.query));
  for (const Index m : {Index{2}, Index{4}})
    if (m < l - 1 && network_.solve(m, from.at[size(m)].data(), most) == most) {
      ++counts.certified;
      return most;
    }
  ++counts.solved;
  return network_.solve(l - 1, from.at[size(l - 1)].data(), most);
}

}  // namespace headwater
