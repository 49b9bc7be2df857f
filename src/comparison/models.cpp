#include "comparison/models.h"

#include <fmt/format.h>
#include <headwater/formats.h>

#include "base/json.h"
#include "base/strings.h"

namespace headwater {
namespace {

void add_prediction(const Prediction& prediction, const std::string& prefix, Results& results) {
  std::vector<std::string> pieces;
  for (const Unit& token : prediction.units) pieces.push_back(token.piece);
  if (!pieces.empty()) results.texts[prefix + ".tokens"] = fmt::format("{}", fmt::join(pieces, " "));
  if (!prediction.outcomes.empty() && !prediction.outcomes.front().top.empty())
    results.texts[prefix + ".label"] = prediction.outcomes.front().top.front().label;
  if (!prediction.logits.empty())
    results.arrays.push_back(
        {prefix + ".logits", {static_cast<Index>(prediction.logits.size())}, prediction.logits});
  if (!prediction.hidden.empty()) {
    const auto dims = prediction.hidden.shape().dims();
    results.arrays.push_back(
        {prefix + ".hidden", {dims.begin(), dims.end()}, prediction.hidden.to_doubles()});
  }
}

// The scores by way of the report's JSON, the one form that every kind of result has.
void add_attributions(const Report& report, const std::string& prefix, Results& results) {
  const Json json = parse_json(to_json(report, -1), "report");
  Results all;
  add_json(json.at("attributions"), prefix, all);
  for (NamedNumbers& array : all.arrays)
    if (array.name.ends_with(".scores")) results.arrays.push_back(std::move(array));
}

}  // namespace

Results results_of(const Engine& engine, const std::string& name, const std::vector<Input>& inputs,
                   const ModelResults& options) {
  Results results{.from = name, .arrays = {}, .texts = {}};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string prefix = fmt::format("[input {}]", i + 1);
    if (options.progress)
      options.progress({.method = name, .done = static_cast<double>(i) / static_cast<double>(inputs.size())});
    if (options.methods.empty()) {
      add_prediction(engine.predict(inputs[i]), prefix, results);
      continue;
    }
    const Report report = engine.explain({.input = inputs[i], .target = {}, .methods = options.methods});
    add_prediction(report.prediction, prefix, results);
    add_attributions(report, prefix, results);
  }
  return results;
}

}  // namespace headwater
