// Attention flow over all columns: who is asked, in which form, on how many threads; then the audit.
//
// A few queries are answered one by one, many by recursion over the layers, which asks all queries of all
// layers but proves most answers by bounds (column_flow.cpp). The audit takes values at random, computes each
// as a maximum flow through the whole network without any bound, and compares it with the capacity of the cut
// that the flow ends at: a flow and a cut of one size are both the best there is.
//
// Abnar & Zuidema (2020), Quantifying Attention Flow in Transformers.
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
#include "numerics/column_flow.h"

namespace headwater {

namespace {

constexpr int audits = 8;
constexpr Index small_work = 4096;  // cells

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
  std::vector<char> asked(static_cast<std::size_t>(c.T), options.rows.empty() ? 1 : 0);
  for (const int k : options.rows) asked[static_cast<std::size_t>(k)] = 1;
  Run run(c, options, c.L * c.T, flow);
  run.over_columns([&](ColumnFlow& column, Index t) {
    const auto write = [&](Index l, Index k, FlowUnits value) {
      if (asked[static_cast<std::size_t>(k)] != 0) *run.cell(l, k, t) = static_cast<double>(value) / c.unit;
    };
    flow.closed_at[static_cast<std::size_t>(t)] = column.all(t, write, [&] { run.step(); });
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
    rows.resize(static_cast<std::size_t>(c.T));
    std::iota(rows.begin(), rows.end(), 0);
  }
  LayeredFlow network(c);
  std::mt19937 generator(1);
  const auto below = [&](std::size_t n) { return static_cast<Index>(generator() % n); };
  for (int i = 0; i < audits; ++i) {
    const Index l = options.last_layer_only ? c.L - 1 : 2 + below(static_cast<std::size_t>(c.L - 2));
    const Index k = rows[static_cast<std::size_t>(below(rows.size()))],
                t = below(static_cast<std::size_t>(c.T));
    network.choose_sink(t);
    const FlowUnits found = network.solve(l - 1, c.row(l, k), std::numeric_limits<FlowUnits>::max());
    const double value = flow.values.data<double>()[(l * c.T + k) * c.T + t];
    flow.audit_error = std::max({flow.audit_error, std::abs(value - static_cast<double>(found) / c.unit),
                                 std::abs(value - static_cast<double>(network.cut()) / c.unit)});
    ++flow.counts.audited;
  }
}

void check_rows(const FlowOptions& options, Index T) {
  for (const int k : options.rows)
    if (k < 0 || k >= T)
      throw InputError(fmt::format("attention flow: expected rows 0 … {}, found {}", T - 1, k));
}

}  // namespace

Flow attention_flow(const Tensor& maps, const FlowOptions& options) {
  const Capacities c = capacities_of(maps);
  check_rows(options, c.T);
  Flow flow{.values = Tensor::full({c.L, c.T, c.T}, DType::Float64, std::numeric_limits<double>::quiet_NaN()),
            .closed_at = std::vector<int>(static_cast<std::size_t>(c.T), -1)};
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
  const auto cells = static_cast<std::size_t>(L * T * T);
  // The maps as double, capacities, values; per thread what arcs have left, and two sets of arcs as bits.
  return cells * (3 * sizeof(double)) +
         static_cast<std::size_t>(std::max(threads, 1)) * cells * (sizeof(FlowUnits) + 1);
}

}  // namespace headwater
