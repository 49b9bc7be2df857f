// A linear probe per layer predicts the example's property from the
// block's output at the target's position. It is fitted on four fifths of the examples and tested on the
// rest, five times, so that every example is tested by a probe that has not seen it.
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <headwater/error.h>

#include "evaluation/run/evaluate.h"
#include "numerics/linear_probe.h"
#include "numerics/random.h"

namespace headwater {

namespace {

constexpr std::size_t probe_folds = 5;
constexpr double probe_ridge = 10;

// The first row that a prediction needs, or the last token.
int predicted_row(const LoadedModel& loaded, const Encoding& encoding) {
  const std::vector<int> rows = wanted_rows(loaded, encoding);
  return rows.empty() ? static_cast<int>(encoding.tokens.size()) - 1 : rows.front();
}

// The output of every block at that position: [layers][D].
std::vector<std::vector<double>> hidden_rows(const LoadedModel& loaded, const EvaluationExample& example) {
  Prepared prepared = prepare(loaded, example.input);
  const int position = predicted_row(loaded, prepared.encoding);
  prepared.batch.positions = {position};
  std::vector<Place> places;
  for (int layer = 0; layer < loaded.info().last().layers; ++layer)
    places.emplace_back(Site::ResidPost, layer);
  Tape tape(places);
  loaded.model->run(tape, prepared.batch);
  std::vector<std::vector<double>> states;
  for (const Place& place : places) {
    const Tensor value = tape.at(place).value;  // [1, T, D]
    states.push_back(value.reshaped(value.shape().without_front()).rows(position, 1).to_doubles());
  }
  return states;
}

}  // namespace

std::vector<std::vector<bool>> probe_layers(const LoadedModel& loaded,
                                            const std::vector<std::optional<EvaluationExample>>& asked,
                                            std::uint64_t seed) {
  std::set<std::string> properties;
  std::vector<std::size_t> known;
  for (std::size_t i = 0; i < asked.size(); ++i)
    if (asked[i] && !asked[i]->property.empty()) {
      known.push_back(i);
      properties.insert(asked[i]->property);
    }
  if (properties.size() != 2 || known.size() < 2 * probe_folds)
    throw InputError(fmt::format(
        "probing_agreement: expected at least {} examples of two properties, such as singular and "
        "plural, found {} of {}; BLiMP's paradigms of number have them",
        2 * probe_folds, known.size(), properties.size()));
  std::vector<Vectors> states;  // [layer][example][D]
  std::vector<bool> first_property;
  for (const std::size_t i : known) {
    const auto one = hidden_rows(loaded, *asked[i]);
    states.resize(one.size());
    for (std::size_t layer = 0; layer < one.size(); ++layer) states[layer].push_back(one[layer]);
    first_property.push_back(asked[i]->property == *properties.begin());
  }
  const std::vector<std::size_t> order = random_order(random_stream(seed, "probes"), known.size());
  std::vector<std::size_t> fold(known.size());
  for (std::size_t k = 0; k < order.size(); ++k) fold[order[k]] = k % probe_folds;
  std::vector<std::vector<bool>> right(asked.size());
  for (const Vectors& layer : states) {
    const std::vector<bool> told = told_rightly(layer, first_property, fold, {.ridge = probe_ridge});
    for (std::size_t k = 0; k < known.size(); ++k) right[known[k]].push_back(told[k]);
  }
  return right;
}

}  // namespace headwater
