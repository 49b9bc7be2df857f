#include "mixing/aggregate.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <headwater/error.h>

#include "mixing/rollout.h"
#include "study/maps.h"

namespace headwater {

void check_aggregate(std::string_view kind, std::string_view method, bool has_maps) {
  if (kind.empty()) return;
  if (kind != "rollout" && kind != "flow")
    throw InputError(fmt::format("aggregate: expected rollout or flow, found '{}'", kind));
  if (!has_maps)
    throw InputError(fmt::format(
        "aggregate: expected a method with a map per layer, found {}; headwater methods says which have one",
        method));
}

namespace {

// The maps [L, T, T] in double: no NaN, heads averaged, blended.
Tensor blended(const Attribution& result, Blend blend) {
  const Index L = result.scores.dim(0), T = result.scores.shape().back();
  Tensor maps({L, T, T}, DType::Float64);
  for (Index l = 0; l < L; ++l) {
    const Tensor layer = result.scores.rows(l, 1);
    std::vector<double> map =
        result.scores.rank() == 4 ? fuse_heads(layer, Fusion::Mean) : layer.to_doubles();
    for (double& value : map)
      if (std::isnan(value)) value = 0;
    if (blend != Blend::AsIs) {
      mix_with_identity(map, T, 0);
      if (blend == Blend::HalfIdentity) mix_with_identity(map, T, 0.5);
    }
    std::copy(map.begin(), map.end(), maps.data<double>() + l * T * T);
  }
  return maps;
}

std::string_view name_of(Blend blend) {
  switch (blend) {
    case Blend::HalfIdentity:
      return "half identity";
    case Blend::RowSums:
      return "rows sum to 1";
    case Blend::AsIs:
      return "raw scores";
  }
  return "";
}

}  // namespace

Attribution aggregate(Attribution result, const std::string& kind, Blend blend, bool causal,
                      const std::function<void(double)>& progress) {
  if (result.axes.empty() || result.axes.back() != "key")
    throw InputError(
        fmt::format("aggregate: expected a map per layer, found scores per {} of {}; leave out the "
                    "options that make it so",
                    result.axes.empty() ? "input" : result.axes.back(), result.method));
  const DType dtype = result.scores.dtype();
  Attribution whole{.method = result.method + "_" + kind, .options = std::move(result.options)};
  whole.options.emplace_back("aggregate", kind);
  whole.options.emplace_back("blend", name_of(blend));
  whole.axes = {"layer", "query", "key"};
  whole.checks = std::move(result.checks);  // of the maps that went in
  Tensor maps = blended(result, blend);
  progress(0);
  roll_out(maps);
  whole.scores = maps.to(dtype);
  if (blend != Blend::AsIs) whole.checks.push_back(check_row_sums(whole.scores));
  whole.checks.push_back(check_nonnegative(whole.scores));
  whole.notes = std::move(result.notes);
  whole.notes.push_back(maximum_note(whole.scores));
  if (blend == Blend::AsIs)
    whole.notes.emplace_back(
        "Raw scores were multiplied, as the method's authors do: rows do not sum to 1, "
        "and only ranks within a row compare.");
  if (causal) {
    whole.checks.push_back(check_causal(whole.scores));
    forbid_future(whole.scores);
  }
  return whole;
}

std::size_t aggregate_bytes(Index layers, Index tokens, std::string_view) {
  return static_cast<std::size_t>(2 * layers * tokens * tokens) * sizeof(double);
}

}  // namespace headwater
