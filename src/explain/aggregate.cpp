#include "explain/aggregate.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/parallel.h"
#include "explain/kind_maps.h"
#include "explain/rollout.h"
#include "numerics/flow.h"
#include "numerics/row_division.h"
#include "study/map_checks.h"

namespace headwater {

void check_aggregate(std::string_view kind, std::string_view method, bool has_maps) {
  if (kind.empty()) return;
  if (std::find(aggregates.begin(), aggregates.end(), kind) == aggregates.end())
    throw InputError(fmt::format("aggregate: expected rollout or flow, found '{}'", kind));
  if (!has_maps)
    throw InputError(fmt::format(
        "aggregate: expected a method with a map per layer, found {}; headwater methods says which have one",
        method));
}

namespace {

// The maps of every step in double, without NaN, averaged over heads and blended. A cross-attention map
// without the residual path is mixed with it half and half, whatever the blend.
void blend_into(JointMixing& joint, const Attribution& result, Blend blend) {
  for (std::size_t k = 0; k < joint.steps().size(); ++k) {
    const auto& [kind, layer] = joint.steps()[k];
    const Map* whole = map_named(result.maps, kind.name);
    if (whole == nullptr)
      throw InternalError(fmt::format("aggregate: expected a map of {} attention, found none", kind.name));
    const Tensor own = whole->values.rows(layer, 1);
    std::vector<double> map = whole->values.rank() == 4 ? fuse_heads(own, Fusion::Mean) : own.to_doubles(),
                        path;
    for (double& value : map)
      if (std::isnan(value)) value = 0;
    const Index keys = joint.keys(kind);
    if (const Map* beside = kind.is_cross() ? map_named(result.details, kind.name + "_residual") : nullptr) {
      path = beside->values.rows(layer, 1).to_doubles();
      if (blend != Blend::AsIs) divide_rows(std::span(map), keys, std::span(path));
    } else if (blend != Blend::AsIs || kind.is_cross()) {
      divide_rows(std::span(map), keys);
      if (blend == Blend::HalfIdentity || kind.is_cross()) mix_with_residual(map, keys, 0.5, kind, path);
    }
    joint.put(k, map, path);
  }
}

std::string_view description_of(Blend blend) {
  // In the order of Blend.
  static constexpr std::string_view texts[] = {
      "divided by its row sums and mixed half and half with the identity",
      "divided by its row sums; it already contains the residual path",
      "left unchanged, as the method's authors do: rows do not sum to 1, and only ranks within a row can be "
      "compared"};
  return texts[as_size(blend)];
}

// F ≥ R if all rows sum to 1, because rollout carries one of the flows over which the maximum is taken.
Check check_above_rollout(const Tensor& flow, Tensor rollout) {
  roll_out(rollout);
  double worst = 0;
  for (Index i = 0; i < flow.size(); ++i)
    if (const double gap = rollout.at(i) - flow.at(i); gap > worst) worst = gap;  // NaN: not requested
  return check_within("no flow below rollout", worst, 1e-9);
}

std::string saturation_note(const Flow& flow) {
  const auto closed =
      std::count_if(flow.closed_at.begin(), flow.closed_at.end(), [](int l) { return l >= 0; });
  if (flow.saturated_layer >= 0)
    return fmt::format(
        "Flow is saturated from layer {} on: every position receives the same from each token, so the rows "
        "of the layers above say nothing about their position.",
        flow.saturated_layer);
  if (closed > 0)
    return fmt::format(
        "{} of {} columns are closed: from some layer on every position receives the same from them.", closed,
        flow.closed_at.size());
  return "No column of the flow is closed: every layer still distinguishes positions.";
}

// The maps after the steps were combined, with the checks that all such maps have.
void finish(Attribution& result, JointMixing& joint, const Tensor& through, DType dtype) {
  const Tensor all = through.to(dtype);
  result.checks.push_back(check_nonnegative(all));
  result.notes.push_back(maximum_note(all));
  if (joint.causal()) result.checks.push_back(check_causal(all));
  joint.values() = through;
  result.maps = joint.by_layer(dtype);
}

}  // namespace

void put_flow(Attribution& result, JointMixing& joint, const FlowView& view, DType dtype,
              const std::function<void(double)>& progress) {
  const Tensor& maps = joint.values();
  Flow flow = attention_flow(maps, {.rows = view.rows, .progress = progress});
  const bool chosen = !view.rows.empty();
  result.checks.push_back(check_within("every flow within its bounds", flow.bound_violation, 0));
  result.checks.push_back(check_within(
      fmt::format("{} flows equal a cut found without bounds", flow.counts.audited), flow.audit_error, 0));
  if (check_row_sums(maps).value <= row_sum_bound(DType::Float32))
    result.checks.push_back(check_above_rollout(flow.values, maps.clone()));
  if (!chosen) {
    std::vector<double> closed(flow.closed_at.begin(), flow.closed_at.end());
    result.details.push_back({.name = "closed_at",
                              .axes = {Axis::Units},
                              .values = Tensor::of({static_cast<Index>(closed.size())}, closed, dtype)});
    result.notes.push_back(saturation_note(flow));
  }
  if (view.normalised) divide_rows(flow.values);
  const Tensor all = flow.values.to(dtype);
  if (view.normalised && !chosen) promise_row_sums(result, check_row_sums(all));
  finish(result, joint, flow.values, dtype);
}

Attribution aggregate(Attribution result, const std::string& kind, Blend blend, JointMixing joint,
                      const std::function<void(double)>& progress) {
  if (result.axes().empty() || result.axes().back().kind != Axis::Key)
    throw InputError(
        fmt::format("aggregate: expected a map per layer, found scores per {} of {}; leave out the "
                    "options that make it so",
                    result.axes().empty() ? "input" : name_of(result.axes().back()), result.method));
  const DType dtype = result.scores().dtype();
  Attribution whole{.method = result.method, .aggregate = kind, .options = std::move(result.options)};
  whole.traits = {.of_target = result.traits.of_target, .is_signed = result.traits.is_signed};
  whole.checks = std::move(result.checks);  // the checks of the original maps
  whole.notes = std::move(result.notes);
  // A flow needs capacities of one scale, so raw scores are first divided by their row sums.
  if (kind == "flow" && blend == Blend::AsIs) blend = Blend::RowSums;
  blend_into(joint, result, blend);
  if (kind == "flow") {
    put_flow(whole, joint, {}, dtype, progress);
  } else {
    if (progress) progress(0);
    roll_out(joint.values());
    if (blend != Blend::AsIs) promise_row_sums(whole, check_row_sums(joint.values().to(dtype)));
    finish(whole, joint, joint.values(), dtype);
  }
  whole.notes.push_back(
      fmt::format("Before the {} the map of each layer was {}.", kind, description_of(blend)));
  return whole;
}

std::size_t aggregate_bytes(Index layers, Index tokens, std::string_view kind) {
  const std::size_t maps = as_size(2 * layers * tokens * tokens) * sizeof(double);
  return maps + (kind == "flow" ? attention_flow_bytes(layers, tokens, thread_count()) : 0);
}

}  // namespace headwater
