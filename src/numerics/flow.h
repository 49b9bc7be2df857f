// Attention flow (Abnar & Zuidema, 2020): how much can flow from a token above layer i down to each input
// token, when the mixing maps are read as capacities. Exact: every value is either a maximum flow in fixed
// point or proved by a lower bound that meets an upper bound. The result does not depend on the number of
// threads.
#pragma once

#include <functional>
#include <vector>

#include "numerics/capacities.h"

namespace headwater {

struct FlowOptions {
  std::vector<int> rows;         // queries to answer; empty: every token
  bool last_layer_only = false;  // leaves the layers below out where that saves work
  std::function<void(double done)> progress =
      nullptr;  // 0 … 1, one call at a time, from any thread; may throw to stop
};

// How the pairs (layer, query, input token) were answered.
struct FlowCounts {
  std::int64_t direct = 0;     // layers 0 and 1: closed form
  std::int64_t solved = 0;     // by a maximum flow
  std::int64_t certified = 0;  // bounds met
  std::int64_t closed = 0;     // the token's column was closed in a layer below
  std::int64_t audited = 0;    // computed once more, without bounds, and compared with the capacity of a cut
};

struct Flow {
  Tensor values;  // [L, T, T] float64: F_i[k, t], not normalised; NaN in rows that were not asked for
  std::vector<int> closed_at;  // per input token: the first layer from which on every query of every layer
                               // receives the same from it; −1: none, or not known (rows were chosen)
  int saturated_layer = -1;    // the first layer from which on all columns are closed; −1: none
  FlowCounts counts;
  double bound_violation = 0;  // by how much a maximum flow left its bounds; 0, or there is a bug
  double audit_error = 0;      // the largest difference between a value and its audit; 0, or there is a bug
};

// maps [L, T, T]: capacities, row = the token being written; rows may have any sum (see capacities.h), and
// the caller has added the residual path. Throws InputError on maps that are no capacities and on rows out of
// range.
Flow attention_flow(const Tensor& maps, const FlowOptions& options = {});

// What attention_flow holds at its peak beside the maps: the result, the capacities, one network per thread.
std::size_t attention_flow_bytes(Index L, Index T, int threads);

}  // namespace headwater
