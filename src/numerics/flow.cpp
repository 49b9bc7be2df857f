// Attention flow over all columns: who is asked, in which form, on how many threads; then the audit.
//
// A few queries are answered one by one, many by recursion over the layers, which asks all queries of all
// layers but proves most answers by bounds. The audit takes values at random, computes each as a maximum flow
// through the whole network without any bound, and compares it with the capacity of the cut that the flow
// ends at: a flow and a cut of one size are both the best there is.
//
// Abnar & Zuidema (2020), Quantifying Attention Flow in Transformers.
//
// One column. With A_l the capacities of layer l, F_l[k] the largest flow from (l, k) to the sink t and G_l
// the largest flow from all nodes of layer l together,
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
#include "numerics/flow.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <random>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/parallel.h"
#include "numerics/max_flow.h"

namespace headwater {

namespace {

constexpr int audits = 8;
constexpr Index small_work = 4096;  // cells

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
    share[as_size(q)] = std::min({wished, arcs[q], rest});
    rest -= share[as_size(q)];
  }
  for (Index q = 0; q < T; ++q) {
    const FlowUnits more = std::min(rest, arcs[q] - share[as_size(q)]);
    to[as_size(q)] += share[as_size(q)] + more;
    rest -= more;
  }
}

// What one query can send down, as supplies for the layers below it: at[m][p] units can reach node (m, p),
// all of them together. at[layer − 1] is the query's own row.
struct QuerySupply {
  Index layer = 0, query = 0;
  std::vector<std::vector<FlowUnits>> at;
};

QuerySupply supply_of(const Capacities& capacities, Index layer, Index query) {
  const Index T = capacities.T;
  QuerySupply supply{layer, query, std::vector<std::vector<FlowUnits>>(as_size(layer))};
  std::vector<FlowUnits> share(as_size(T));
  for (Index m = layer - 1; m >= 0; --m) {
    std::vector<FlowUnits>& to = supply.at[as_size(m)];
    if (m == layer - 1) {
      to.assign(capacities.row(layer, query), capacities.row(layer, query) + T);
      continue;
    }
    to.assign(as_size(T), 0);
    for (Index p = 0; p < T; ++p)
      share_out(capacities.row(m + 1, p), capacities.row_sum(m + 1, p), supply.at[as_size(m + 1)][as_size(p)],
                T, to, share);
  }
  return supply;
}

// One column: attention flow to one input token, from every query of every layer (all) or from one query
// (one). Columns are independent of each other; one object must not serve two threads at once.
class ColumnFlow {
 public:
  explicit ColumnFlow(const Capacities& capacities)
      : capacities_(capacities),
        network_(capacities),
        lowest_(as_size(capacities.L)),
        highest_(as_size(capacities.L)),
        last_(as_size(capacities.T)),
        next_(as_size(capacities.T)),
        order_(as_size(capacities.T)) {
    FlowUnits lowest = std::numeric_limits<FlowUnits>::max(), highest = 0;
    for (Index l = capacities.L - 1; l >= 0; --l) {
      for (Index k = 0; k < capacities.T; ++k) {
        lowest = std::min(lowest, capacities.row_sum(l, k));
        highest = std::max(highest, capacities.row_sum(l, k));
      }
      lowest_[as_size(l)] = lowest;
      highest_[as_size(l)] = highest;
    }
  }

  // Calls write(layer, query, value) for every query of every layer, and step() after each layer. Returns the
  // layer at which the column closes, or −1.
  template <class Write, class Step>
  int all(Index t, const Write& write, const Step& step) {
    const Index L = capacities_.L, T = capacities_.T;
    start(t);
    int closed_at = -1;
    for (Index l = 0; l < L; ++l) {
      if (closed_at >= 0) {
        counts.closed += T;
      } else if (l > 0) {
        std::iota(order_.begin(), order_.end(), Index{0});
        std::stable_sort(order_.begin(), order_.end(),
                         [&](Index a, Index b) { return last_[as_size(a)] > last_[as_size(b)]; });
        for (Index k = 0; k < T; ++k) next_[as_size(k)] = value(l, k);
        std::swap(last_, next_);
      } else {
        counts.direct += T;
      }
      for (Index k = 0; k < T; ++k) write(l, k, last_[as_size(k)]);
      if (closed_at < 0 && closes(l)) closed_at = static_cast<int>(l);
      step();
    }
    return closed_at;
  }

  // From one query alone.
  FlowUnits one(Index t, const QuerySupply& from) {
    start(t);
    const Index l = from.layer;
    if (l <= 1) {
      ++counts.direct;
      return l == 0 ? last_[as_size(from.query)]
                    : sum_of_minima(capacities_.row(1, from.query), last_.data(), capacities_.T);
    }
    const FlowUnits most = std::min(ceiling_, capacities_.row_sum(l, from.query));
    for (const Index m : {Index{2}, Index{4}})
      if (m < l - 1 && network_.solve(m, from.at[as_size(m)].data(), most) == most) {
        ++counts.certified;
        return most;
      }
    ++counts.solved;
    return network_.solve(l - 1, from.at[as_size(l - 1)].data(), most);
  }

  FlowCounts counts;
  FlowUnits bound_violation = 0;

 private:
  void start(Index t) {
    network_.choose_sink(t);
    for (Index k = 0; k < capacities_.T; ++k) last_[as_size(k)] = capacities_.row(0, k)[t];
    ceiling_ = std::accumulate(last_.begin(), last_.end(), FlowUnits{0});
  }

  FlowUnits at_most(Index l, Index k) const {
    return std::min(ceiling_, sum_of_minima(capacities_.row(l, k), last_.data(), capacities_.T));
  }

  double at_least(Index l, Index k) const {
    const FlowUnits* row = capacities_.row(l, k);
    double room = 1, value = 0;
    for (const Index p : order_) {
      const auto flow = static_cast<double>(last_[as_size(p)]), arc = static_cast<double>(row[p]);
      if (flow == 0) break;
      if (arc >= room * flow) return value + room * flow;
      room -= arc / flow;
      value += arc;
    }
    return value;
  }

  FlowUnits value(Index l, Index k) {
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
  bool closes(Index l) {
    if (l == 0) return ceiling_ == 0;
    const auto [least, most] = std::minmax_element(last_.begin(), last_.end());
    if (*most < ceiling_) {
      const std::vector<FlowUnits> unbounded(as_size(capacities_.T), ceiling_);
      ceiling_ = network_.solve(l, unbounded.data(), ceiling_);
    }
    const FlowUnits u = *least;
    return u == *most && lowest_[as_size(l)] >= u && (u == ceiling_ || u == highest_[as_size(l)]);
  }

  const Capacities& capacities_;
  LayeredFlow network_;
  std::vector<FlowUnits> lowest_, highest_;  // [L]: of the row sums of the layers l and above
  std::vector<FlowUnits> last_, next_;       // F_{l−1} and F_l
  std::vector<Index> order_;                 // tokens, largest F_{l−1} first
  FlowUnits ceiling_ = 0;                    // G
};

// Everything the threads share: the next column to take, progress, and the sums of what was done.
class Run {
 public:
  Run(const Capacities& capacities, const FlowOptions& options, std::int64_t steps, Flow& flow)
      : capacities_(capacities), options_(options), steps_(steps), flow_(flow) {}

  // Calls body(column, t) for every input token, on all threads.
  template <class Body>
  void over_columns(const Body& body) {
    // Tiny networks are done before a thread wakes up.
    const Index grain = 1 + small_work / (capacities_.L * capacities_.T * capacities_.T);
    parallel_for(capacities_.T, grain, [&](Index, Index) {
      try {
        ColumnFlow column(capacities_);
        for (Index t = next_++; t < capacities_.T; t = next_++) body(column, t);
        add(column);
      } catch (...) {
        next_ = capacities_.T;
        throw;
      }
    });
  }

  void step() {
    if (!options_.progress) return;
    const std::lock_guard lock(mutex_);
    options_.progress(static_cast<double>(++done_) / static_cast<double>(steps_));
  }

  double* cell(Index l, Index k, Index t) {
    return flow_.values.data<double>() + (l * capacities_.T + k) * capacities_.T + t;
  }

 private:
  void add(const ColumnFlow& column) {
    const std::lock_guard lock(mutex_);
    flow_.counts.direct += column.counts.direct;
    flow_.counts.solved += column.counts.solved;
    flow_.counts.certified += column.counts.certified;
    flow_.counts.closed += column.counts.closed;
    flow_.bound_violation =
        std::max(flow_.bound_violation, static_cast<double>(column.bound_violation) / capacities_.unit);
  }

  const Capacities& capacities_;
  const FlowOptions& options_;
  std::int64_t steps_, done_ = 0;
  Flow& flow_;
  std::atomic<Index> next_ = 0;
  std::mutex mutex_;
};

void flow_of_all(const Capacities& c, const FlowOptions& options, Flow& flow) {
  std::vector<char> asked(as_size(c.T), options.rows.empty() ? 1 : 0);
  for (const int k : options.rows) asked[as_size(k)] = 1;
  Run run(c, options, c.L * c.T, flow);
  run.over_columns([&](ColumnFlow& column, Index t) {
    const auto write = [&](Index l, Index k, FlowUnits value) {
      if (asked[as_size(k)] != 0) *run.cell(l, k, t) = static_cast<double>(value) / c.unit;
    };
    flow.closed_at[as_size(t)] = column.all(t, write, [&] { run.step(); });
  });
  const auto& closed = flow.closed_at;
  if (std::find(closed.begin(), closed.end(), -1) == closed.end())
    flow.saturated_layer = *std::max_element(closed.begin(), closed.end());
}

void flow_of_rows(const Capacities& c, const FlowOptions& options, Flow& flow) {
  std::vector<QuerySupply> queries;
  for (Index l = options.last_layer_only ? c.L - 1 : 0; l < c.L; ++l)
    for (const int k : options.rows) queries.push_back(supply_of(c, l, k));
  Run run(c, options, c.T, flow);
  run.over_columns([&](ColumnFlow& column, Index t) {
    for (const QuerySupply& query : queries)
      *run.cell(query.layer, query.query, t) = static_cast<double>(column.one(t, query)) / c.unit;
    run.step();
  });
}

void audit(const Capacities& c, const FlowOptions& options, Flow& flow) {
  if (c.L < 3) return;
  std::vector<int> rows = options.rows;
  if (rows.empty()) {
    rows.resize(as_size(c.T));
    std::iota(rows.begin(), rows.end(), 0);
  }
  LayeredFlow network(c);
  std::mt19937 generator(1);
  const auto below = [&](std::size_t n) { return static_cast<Index>(generator() % n); };
  for (int i = 0; i < audits; ++i) {
    const Index l = options.last_layer_only ? c.L - 1 : 2 + below(as_size(c.L - 2));
    const Index k = rows[as_size(below(rows.size()))], t = below(as_size(c.T));
    network.choose_sink(t);
    const FlowUnits found = network.solve(l - 1, c.row(l, k), std::numeric_limits<FlowUnits>::max());
    const double value = flow.values.data<double>()[(l * c.T + k) * c.T + t];
    flow.audit_error = std::max({flow.audit_error, std::abs(value - static_cast<double>(found) / c.unit),
                                 std::abs(value - static_cast<double>(network.cut()) / c.unit)});
    ++flow.counts.audited;
  }
}

void check_queries(const FlowOptions& options, Index T) {
  for (const int k : options.rows)
    if (k < 0 || k >= T)
      throw InputError(fmt::format("attention flow: expected rows 0 … {}, found {}", T - 1, k));
}

}  // namespace

Flow attention_flow(const Tensor& maps, const FlowOptions& options) {
  const Capacities c = capacities_of(maps);
  check_queries(options, c.T);
  Flow flow{.values = Tensor::full({c.L, c.T, c.T}, DType::Float64, std::numeric_limits<double>::quiet_NaN()),
            .closed_at = std::vector<int>(as_size(c.T), -1)};
  // A query by itself costs about a column's share of one layer; a recursion solves two to three layers of
  // queries.
  const Index layers = options.last_layer_only ? 1 : c.L;
  if (!options.rows.empty() && static_cast<Index>(options.rows.size()) * layers < c.T)
    flow_of_rows(c, options, flow);
  else
    flow_of_all(c, options, flow);
  audit(c, options, flow);
  return flow;
}

std::size_t attention_flow_bytes(Index L, Index T, int threads) {
  const auto cells = as_size(L * T * T);
  // The maps as double, capacities, values; per thread what arcs have left, and two sets of arcs as bits.
  return cells * (3 * sizeof(double)) + as_size(std::max(threads, 1)) * cells * (sizeof(FlowUnits) + 1);
}

}  // namespace headwater
