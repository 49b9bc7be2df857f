// A RecordedRun: values by place, gradients and replays.
#include <headwater/formats.h>
#include <headwater/run.h>

#include "bindings.h"

namespace headwater::python {
namespace {

using PlaceTuple = std::tuple<std::string, std::string, int>;

PlaceName place_of(const PlaceTuple& place) {
  return {std::get<0>(place), std::get<1>(place), std::get<2>(place)};
}

std::vector<PlaceTuple> places_of(const RecordedRun& run) {
  std::vector<PlaceTuple> places;
  for (const PlaceName& place : run.places()) places.emplace_back(place.stack, place.site, place.layer);
  return places;
}

std::vector<Tensor> gradients_of(const RecordedRun& run, const std::vector<PlaceTuple>& at,
                                 const PlaceTuple& from, const py::array& seed) {
  std::vector<PlaceName> places;
  for (const PlaceTuple& place : at) places.push_back(place_of(place));
  const Tensor start = tensor_of(seed);
  const py::gil_scoped_release unlocked;
  return run.gradients(places, place_of(from), start);
}

Tensor replay_of(const RecordedRun& run, const std::vector<std::pair<PlaceTuple, py::array>>& changes,
                 const PlaceTuple& to) {
  std::vector<PlaceChange> made;
  for (const auto& [place, copies] : changes) made.push_back({place_of(place), tensor_of(copies)});
  const py::gil_scoped_release unlocked;
  return run.replay(made, place_of(to));
}

}  // namespace

void bind_run(py::module_& module) {
  py::class_<PlaceEdit>(module, "Edit")
      .def(py::init([](const PlaceTuple& at, double factor, const std::optional<py::array>& values,
                       std::vector<int> heads, std::vector<int> rows) {
        return PlaceEdit{.at = place_of(at),
                         .factor = factor,
                         .values = values ? tensor_of(*values) : Tensor(),
                         .heads = std::move(heads),
                         .rows = std::move(rows)};
      }));
  py::class_<RecordedRun>(module, "Run")
      .def("places", &places_of)
      .def("has", [](const RecordedRun& run, const PlaceTuple& place) { return run.has(place_of(place)); })
      .def("at", [](const RecordedRun& run, const PlaceTuple& place) { return run.at(place_of(place)); })
      .def("tokens", [](const RecordedRun& run) { return tokens_json(run.units(), -1); })
      .def("gradients", &gradients_of)
      .def("replay", &replay_of);
}

}  // namespace headwater::python
