// The maps of all kinds of attention, and what the methods that return them share.
#pragma once

#include <functional>
#include <vector>

#include "study/attentions.h"
#include "study/study.h"

namespace headwater {

const Map* map_named(const std::vector<Map>& maps, std::string_view name);  // null if there is none
// One map for each kind of attention; its values are still to be written.
std::vector<Map> maps_of(const Study& study, const std::vector<AttentionKind>& kinds, HeadAxis heads);
// One layer of a map, or of numbers per layer.
void put_layer(Tensor& values, int layer, const std::vector<double>& numbers);
// One layer of a detail with numbers per layer and query of a kind: "mixing_ratio", or with several kinds
// "cross_mixing_ratio".
void put_detail(Attribution& result, const AttentionKind& kind, const std::string& name, int layer,
                const std::vector<double>& numbers);
// Calls f(k, layer), which writes one layer of the result's maps, for every layer of every kind, and reports
// progress.
void for_layers(const Study& study, const std::vector<AttentionKind>& kinds, const Attribution& result,
                const std::function<void(std::size_t k, int layer)>& f);
// Reports a partial result when some layers are written and others remain: layers for which there(k, layer)
// is false are NaN in it. `finish` does to the maps of a copy what the method will finally do to its own.
void tell_layers(const Study& study, const std::vector<AttentionKind>& kinds, const std::vector<Map>& maps,
                 const std::function<bool(std::size_t k, int layer)>& there,
                 const std::function<void(std::vector<Map>&)>& finish = {});
// The same for methods that go from the first layer up.
void tell_layers_up_to(const Study& study, const std::vector<AttentionKind>& kinds,
                       const std::vector<Map>& maps, std::size_t k, int layer,
                       const std::function<void(std::vector<Map>&)>& finish = {});
// The number of layers of the kinds before this one, and of all kinds.
int layers_before(const std::vector<AttentionKind>& kinds, std::size_t k);
inline int layers_of(const std::vector<AttentionKind>& kinds) {
  return layers_before(kinds, kinds.size());
}

// The rows with the residual path's share of each added: in cross-attention these sum to 1.
Tensor with_column(const Tensor& map, const Tensor& column);

// Units after a causal query become NaN, once the check has measured that they are 0.
void forbid_future(Attribution& result, const std::vector<AttentionKind>& kinds);
// maximum_note of all maps.
std::string maximum_note(const std::vector<Map>& maps);

}  // namespace headwater
