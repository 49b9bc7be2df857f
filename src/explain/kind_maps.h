// A map of every kind of attention, and what all methods that give such maps do with them.
#pragma once

#include <functional>
#include <vector>

#include "study/attentions.h"
#include "study/study.h"

namespace headwater {

const Map* map_named(const std::vector<Map>& maps, std::string_view name);  // null if there is none
// A map of each kind, its values yet to be written.
std::vector<Map> maps_of(const Study& study, const std::vector<AttentionKind>& kinds, HeadAxis heads);
// One layer of a map, or of numbers per layer.
void put_layer(Tensor& values, int layer, const std::vector<double>& numbers);
// One layer of a detail that has numbers per layer and query of a kind: "mixing_ratio", or of several kinds
// "cross_mixing_ratio".
void put_detail(Attribution& result, const AttentionKind& kind, const std::string& name, int layer,
                const std::vector<double>& numbers);
// f(k, layer), which writes a layer of the result's maps, for every layer of every kind; tells how far it is.
void for_layers(const Study& study, const std::vector<AttentionKind>& kinds, const Attribution& result,
                const std::function<void(std::size_t k, int layer)>& f);
// Tells what there is when layers are written and others are to come: those that are not there(k, layer) are
// NaN in what is shown. `finish` does to the maps of a copy what the method will do to its own in the end.
void tell_layers(const Study& study, const std::vector<AttentionKind>& kinds, const std::vector<Map>& maps,
                 const std::function<bool(std::size_t k, int layer)>& there,
                 const std::function<void(std::vector<Map>&)>& finish = {});
// Of methods that go from the first layer up.
void tell_layers_up_to(const Study& study, const std::vector<AttentionKind>& kinds,
                       const std::vector<Map>& maps, std::size_t k, int layer,
                       const std::function<void(std::vector<Map>&)>& finish = {});
// The kinds' layers before this one, and all of them.
int layers_before(const std::vector<AttentionKind>& kinds, std::size_t k);
inline int layers_of(const std::vector<AttentionKind>& kinds) {
  return layers_before(kinds, kinds.size());
}

// Rows with the residual path's share of each beside them: what sums to 1 of cross-attention.
Tensor with_column(const Tensor& map, const Tensor& column);

// Later units than a causal query become NaN, after the promise that there was nothing is measured.
void forbid_future(Attribution& result, const std::vector<AttentionKind>& kinds);
// maximum_note of all maps.
std::string maximum_note(const std::vector<Map>& maps);

}  // namespace headwater
