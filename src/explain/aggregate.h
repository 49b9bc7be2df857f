// Aggregates: a method's maps of single layers, combined across layers by rollout (a product) or flow (a
// maximum flow). `explain --aggregate`.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <headwater/report.h>

#include "explain/mixing_steps.h"

namespace headwater {

// How a method's map is prepared before it is aggregated.
enum class Blend {
  HalfIdentity,  // for maps without the residual path: rows sum to 1, then half map, half identity
  RowSums,       // for maps with the residual path: rows sum to 1
  AsIs,          // rollout multiplies the scores unchanged; flow treats them as RowSums does
};

inline constexpr std::array<const char*, 3> aggregates{"", "rollout", "flow"};  // the first: none

// Throws InputError unless `kind` is one of them, and the method has a map per layer for it.
void check_aggregate(std::string_view kind, std::string_view method, bool has_maps);

// `result` has a map per layer for every kind of attention, with or without a head axis (heads are averaged).
// The returned maps say per layer what was read through all layers below, with their own checks and notes.
// `progress` may throw to stop.
Attribution aggregate(Attribution result, const std::string& kind, Blend blend, JointMixing joint,
                      const std::function<void(double)>& progress);

// Puts the maximum flow through the steps (which include the residual path) into `result`: maps in `dtype`,
// the layer at which each column closed, checks and notes.
struct FlowView {
  std::vector<int> rows;   // queries to compute; empty: all. The others are NaN.
  bool normalised = true;  // rows divided by their sum, as published; else the flows themselves
};
void put_flow(Attribution& result, JointMixing& joint, const FlowView& view, DType dtype,
              const std::function<void(double)>& progress);

std::size_t aggregate_bytes(Index layers, Index tokens, std::string_view kind);

}  // namespace headwater
