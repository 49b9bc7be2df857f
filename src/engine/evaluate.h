// Evaluation for the facade: examples explained, measured and summed up.
#pragma once

#include <functional>

#include <headwater/evaluate.h>

#include "evaluations/evaluation.h"
#include "study/inputs.h"

namespace headwater {

// A metric of a request with its options checked.
struct ChosenMetric {
  const Evaluation* evaluation;
  MethodOptions options;
};
// Throws InputError for an unknown metric or option, and for one asked for twice; Unsupported for a metric
// that means nothing for such a model.
std::vector<ChosenMetric> metrics_of(const EvaluateRequest& request, const ModelInfo& info);

// The index of the label a file calls by this name: as `names` says, by name, by index, or by the beginning
// of a name ("NEG" of NEGATIVE). Throws InputError.
int gold_index(const ModelInfo& info, const std::map<std::string, std::string>& names,
               const std::string& gold);
// The example with the model's mask in its blank, or ending there; spans move along. Nothing, and why: it
// cannot be asked this model.
std::optional<EvaluationExample> placed(const LoadedModel& loaded, EvaluationExample example,
                                        std::string& left_out);

// What all methods share of an example, but for its units and its label.
Sample sample_of(const LoadedModel& loaded, const EvaluationExample& example, const Report& report);

// For every example the layers at which a linear probe tells its property; empty where there is none.
// `asked`: the examples as they are put to the model; nothing in the place of one that is left out. Throws
// InputError for too few examples, or other than two properties.
std::vector<std::vector<bool>> probe_layers(const LoadedModel& loaded,
                                            const std::vector<std::optional<EvaluationExample>>& asked,
                                            std::uint64_t seed);

// Means, intervals and tests of what was measured.
void sum_up(const std::vector<ChosenMetric>& metrics, const std::vector<ExampleValues>& values,
            const EvaluateRequest& request, EvaluateReport& report);

// How examples are explained: by a model, perhaps of a given target, without a view.
struct Explainer {
  const LoadedModel& loaded;
  std::function<Report(const LoadedModel& with, const Request&, const Target* aimed)> explain;
  // What explaining it takes, in bytes.
  std::function<std::size_t(const Request&)> planned;
  // The model with other weights.
  std::function<LoadedModel(const std::function<void(const std::string&, Tensor&)>& change)> changed;
  double deviation = 0.02;  // of untrained weights
};

EvaluateReport evaluate_examples(const Explainer& explainer, const EvaluateRequest& request,
                                 RunRecord record);

}  // namespace headwater
