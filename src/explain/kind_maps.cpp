#include "explain/kind_maps.h"

#include <algorithm>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "study/map_checks.h"

namespace headwater {

const Map* map_named(const std::vector<Map>& maps, std::string_view name) {
  const auto found = std::find_if(maps.begin(), maps.end(), [&](const Map& map) { return map.name == name; });
  return found == maps.end() ? nullptr : &*found;
}

std::vector<Map> maps_of(const Study& study, const std::vector<AttentionKind>& kinds, HeadAxis heads) {
  std::vector<Map> maps;
  for (const AttentionKind& kind : kinds) {
    const Index L = kind.layers, H = kind.heads, T = study.size(kind.queries), S = study.size(kind.keys);
    const Shape shape = heads == HeadAxis::Each ? Shape{L, H, T, S} : Shape{L, T, S};
    maps.push_back(map_of(kind, heads, Tensor(shape, study.info().dtype)));
  }
  return maps;
}

void put_layer(Tensor& values, int layer, const std::vector<double>& numbers) {
  dispatch(values.dtype(), [&]<class R>(R) {
    std::copy(numbers.begin(), numbers.end(), values.data<R>() + static_cast<Index>(numbers.size()) * layer);
  });
}

void put_detail(Attribution& result, const AttentionKind& kind, const std::string& name, int layer,
                const std::vector<double>& numbers) {
  const std::string whole = kind.name.empty() ? name : kind.name + "_" + name;
  if (map_named(result.details, whole) == nullptr)
    result.details.push_back(
        {.name = whole,
         .axes = {Axis::Layer, {Axis::Query, kind.queries}},
         .values = Tensor({kind.layers, static_cast<Index>(numbers.size())}, result.scores().dtype())});
  Tensor values = map_named(result.details, whole)->values;  // shares the numbers
  put_layer(values, layer, numbers);
}

void for_layers(const Study& study, const std::vector<AttentionKind>& kinds, const Attribution& result,
                const std::function<void(std::size_t, int)>& f) {
  for (std::size_t k = 0; k < kinds.size(); ++k)
    for (int layer = 0; layer < kinds[k].layers; ++layer) {
      f(k, layer);
      study.progress(static_cast<double>(layers_before(kinds, k) + layer + 1) / layers_of(kinds));
      tell_layers_up_to(study, kinds, result.maps, k, layer);
    }
}

void tell_layers(const Study& study, const std::vector<AttentionKind>& kinds, const std::vector<Map>& maps,
                 const std::function<bool(std::size_t, int)>& there,
                 const std::function<void(std::vector<Map>&)>& finish) {
  if (!study.on_layer) return;
  int done = 0;
  for (std::size_t k = 0; k < kinds.size(); ++k)
    for (int layer = 0; layer < kinds[k].layers; ++layer) done += there(k, layer) ? 1 : 0;
  const int all = layers_of(kinds);
  if (done == 0 || done == all) return;
  study.on_layer([&] {
    Attribution so_far{.maps = maps};
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      Tensor& values = so_far.maps[k].values;
      values = values.clone();
      for (int layer = 0; layer < kinds[k].layers; ++layer)
        if (!there(k, layer))
          dispatch(values.dtype(), [&]<class R>(R) {
            Tensor missing = values.rows(layer, 1);  // shares the numbers
            std::fill_n(missing.data<R>(), missing.size(), std::numeric_limits<R>::quiet_NaN());
          });
    }
    if (finish) finish(so_far.maps);
    forbid_future(so_far, kinds);
    so_far.checks.clear();  // they belong to the complete result
    so_far.unfinished = true;
    so_far.notes = {fmt::format("{} of {} layers so far.", done, all)};
    return so_far;
  });
}

void tell_layers_up_to(const Study& study, const std::vector<AttentionKind>& kinds,
                       const std::vector<Map>& maps, std::size_t k, int layer,
                       const std::function<void(std::vector<Map>&)>& finish) {
  tell_layers(
      study, kinds, maps, [&](std::size_t m, int l) { return m < k || (m == k && l <= layer); }, finish);
}

int layers_before(const std::vector<AttentionKind>& kinds, std::size_t k) {
  int layers = 0;
  for (std::size_t before = 0; before < k; ++before) layers += kinds[before].layers;
  return layers;
}

Tensor with_column(const Tensor& map, const Tensor& column) {
  const Index keys = map.shape().back();
  Tensor wide(map.shape().with_back(keys + 1), map.dtype());
  dispatch(map.dtype(), [&]<class R>(R) {
    R* to = wide.data<R>();
    for (Index row = 0; row < map.size() / keys; ++row) {
      to = std::copy_n(map.data<R>() + row * keys, keys, to);
      *to++ = static_cast<R>(column.at(row));
    }
  });
  return wide;
}

void forbid_future(Attribution& result, const std::vector<AttentionKind>& kinds) {
  std::optional<Check> worst;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    if (!kinds[k].causal) continue;
    const Check one = check_causal(result.maps[k].values);
    if (!worst || is_worse(one, *worst)) worst = one;
    forbid_future(result.maps[k].values);
  }
  if (worst) result.checks.push_back(*worst);
}

std::string maximum_note(const std::vector<Map>& maps) {
  double largest = 0;
  for (const Map& map : maps)
    for (Index i = 0; i < map.values.size(); ++i)
      if (const double value = map.values.at(i); value > largest) largest = value;
  return maximum_note(Tensor::full({1, 1}, DType::Float64, largest));
}

}  // namespace headwater
