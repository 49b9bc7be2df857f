// Aggregates: any method's map per layer, taken through the layers by rollout (a product) or flow (a maximum
// flow). `explain --aggregate`.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <headwater/report.h>

#include "explain/mixing_steps.h"

namespace headwater {

// What a method's map becomes before it is aggregated.
enum class Blend {
  HalfIdentity,  // rows sum to 1, then half and half with the identity: maps without the residual path
  RowSums,       // rows sum to 1: maps that have it
  AsIs,          // rollout: the scores as they are; flow: as RowSums
};

// Throws InputError unless `kind` is empty, or "rollout" or "flow" and the method has a map per layer.
void check_aggregate(std::string_view kind, std::string_view method, bool has_maps);

// `result` has a map per layer, heads or not (they are averaged), of every kind of attention; it becomes a
// map per layer of what was read through all layers below, with checks and notes of its own. `progress` may
// throw to stop.
Attribution aggregate(Attribution result, const std::string& kind, Blend blend, JointMixing joint,
                      const std::function<void(double)>& progress);

// Puts the maximum flow through the steps (residual path included) into `result`: maps in `dtype`, the layer
// each column closed at, checks and notes.
struct FlowView {
  std::vector<int> rows;   // queries to answer; empty: all. The others are NaN.
  bool normalised = true;  // rows divided by their sum, as published; else the flows themselves
};
void put_flow(Attribution& result, JointMixing& joint, const FlowView& view, DType dtype,
              const std::function<void(double)>& progress);

std::size_t aggregate_bytes(Index layers, Index tokens, std::string_view kind);

}  // namespace headwater
