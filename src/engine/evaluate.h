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
// Every method that has to run: those asked for, then those that metrics compare with.
struct Explainers {
  std::vector<MethodSpec> specs;
  std::size_t asked = 0;                              // of them, the first so many
  std::vector<std::optional<std::size_t>> reference;  // of each metric: which of the specs
};
Explainers explainers_of(const EvaluateRequest& request, const std::vector<ChosenMetric>& metrics);
inline constexpr std::size_t examples_in_a_window = 32;  // that are measured together: what a kill may cost

// Whether they are one metric of the model itself.
inline bool is_of_model(const std::vector<ChosenMetric>& metrics) {
  return metrics.size() == 1 && metrics.front().evaluation->measure_model != nullptr;
}

// The index of the label a file calls by this name: as `names` says, by name, by index, or by the beginning
// of a name ("NEG" of NEGATIVE). Throws InputError.
int gold_index(const ModelInfo& info, const std::map<std::string, std::string>& names,
               const std::string& gold);
// What is explained of an example. `left_out`: why it cannot be.
TargetSpec target_of(const LoadedModel& loaded, const EvaluateRequest& request,
                     const EvaluationExample& example, std::string& left_out);
// The example with the model's mask in its blank, or ending there; spans move along. Nothing, and why: it
// cannot be asked this model.
std::optional<EvaluationExample> placed(const LoadedModel& loaded, EvaluationExample example,
                                        std::string& left_out);

// The one place where scores are read out of a result: the answer's row, [layer][token]. Throws Unsupported
// for one that has none.
std::vector<std::vector<double>> answer_by_layer(const Report& report, const Attribution& result);
// Tokens alone, or joined to words.
std::vector<std::vector<int>> units_of_tokens(const std::vector<Unit>& tokens, View::Unit unit);

// What all methods share of an example, but for its units and its label.
Sample sample_of(const LoadedModel& loaded, const EvaluationExample& example, const Report& report);

// For every example the layers at which a linear probe tells its property; empty where there is none.
// `asked`: the examples as they are put to the model; nothing in the place of one that is left out. Throws
// InputError for too few examples, or other than two properties.
std::vector<std::vector<bool>> probe_layers(const LoadedModel& loaded,
                                            const std::vector<std::optional<EvaluationExample>>& asked,
                                            std::uint64_t seed);

// Throws InputError or Unsupported for what cannot be evaluated together, or not with this model.
void check_request(const EvaluateRequest& request, const std::vector<ChosenMetric>& metrics,
                   const ModelInfo& info);

// What a metric of the model itself measures, and all its values.
ModelTrial model_trial(const LoadedModel& loaded, const EvaluateRequest& request);
std::vector<ExampleValues> model_values(const LoadedModel& loaded, const ChosenMetric& metric,
                                        const EvaluateRequest& request);

// The whole map of a method, [layer][query · T + key], heads averaged; empty for a score per token.
std::vector<std::vector<double>> maps_by_layer(const Report& report, const Attribution& result);

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
// Throws what the run would before its first example.
EvaluatePlan plan_examples(const Explainer& explainer, const EvaluateRequest& request);

}  // namespace headwater
