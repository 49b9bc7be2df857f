// A linear probe per layer (ridge regression on ±1 with a free bias) predicts the example's property from the
// block's output at the target's position. It is fitted on four fifths of the examples and tested on the
// rest, five times, so that every example is tested by a probe that has not seen it.
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <headwater/error.h>

#include "evaluation/run/evaluate.h"
#include "numerics/linear_map.h"
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

Tensor stacked(const std::vector<std::vector<double>>& rows) {
  std::vector<double> all;
  for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
  return Tensor::of({static_cast<Index>(rows.size()), static_cast<Index>(rows.front().size())}, all);
}

// Which of these examples a probe of one layer classifies correctly, each by a fit without it.
std::vector<bool> told(const std::vector<std::vector<double>>& states, const std::vector<double>& signs,
                       const std::vector<std::size_t>& order) {
  std::vector<bool> right(states.size());
  for (std::size_t fold = 0; fold < probe_folds; ++fold) {
    std::vector<std::vector<double>> seen, unseen;
    std::vector<std::vector<double>> targets;
    std::vector<std::size_t> tested;
    for (std::size_t k = 0; k < order.size(); ++k) {
      const std::size_t i = order[k];
      if (k % probe_folds == fold) {
        unseen.push_back(states[i]);
        tested.push_back(i);
      } else {
        seen.push_back(states[i]);
        targets.push_back({signs[i]});
      }
    }
    if (tested.empty() || seen.empty()) continue;
    const LinearMap map = RidgeFit(stacked(seen), probe_ridge).fit(stacked(targets));
    const std::vector<double> said = map(stacked(unseen)).to_doubles();
    for (std::size_t k = 0; k < tested.size(); ++k) right[tested[k]] = said[k] * signs[tested[k]] > 0;
  }
  return right;
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
  std::vector<std::vector<std::vector<double>>> states;  // [layer][example][D]
  std::vector<double> signs;
  for (const std::size_t i : known) {
    const auto one = hidden_rows(loaded, *asked[i]);
    states.resize(one.size());
    for (std::size_t layer = 0; layer < one.size(); ++layer) states[layer].push_back(one[layer]);
    signs.push_back(asked[i]->property == *properties.begin() ? 1 : -1);
  }
  const std::vector<std::size_t> order = random_order(random_stream(seed, "probes"), known.size());
  std::vector<std::vector<bool>> right(asked.size());
  for (const auto& layer : states) {
    const std::vector<bool> made = told(layer, signs, order);
    for (std::size_t k = 0; k < known.size(); ++k) right[known[k]].push_back(made[k]);
  }
  return right;
}

}  // namespace headwater
