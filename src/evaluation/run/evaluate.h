// Evaluation for the facade: it explains examples, measures the explanations and summarises the values.
#pragma once

#include <functional>

#include <headwater/evaluate.h>

#include "evaluation/metrics/evaluation.h"
#include "study/inputs.h"

namespace headwater {

// A requested metric with its checked options.
struct ChosenMetric {
  const Evaluation* evaluation;
  MethodOptions options;
};
// Throws InputError for an unknown metric or option and for a repeated metric; Unsupported for a metric that
// is undefined for this model.
std::vector<ChosenMetric> metrics_of(const EvaluateRequest& request, const ModelInfo& info);
// Every method that has to run: first those requested, then those that metrics compare with.
struct Explainers {
  std::vector<MethodSpec> specs;
  std::size_t asked = 0;                              // the number of requested ones, which come first
  std::vector<std::optional<std::size_t>> reference;  // for each metric, the index of its reference in specs
};
Explainers explainers_of(const EvaluateRequest& request, const std::vector<ChosenMetric>& metrics);
inline constexpr std::size_t examples_in_a_window =
    32;  // examples measured together; a kill loses at most these

// Whether the only metric measures the model itself.
inline bool is_of_model(const std::vector<ChosenMetric>& metrics) {
  return metrics.size() == 1 && metrics.front().evaluation->measure_model != nullptr;
}

// The index of the label that a file calls by this name: by `names`, by name, by index, or by the beginning
// of a name ("NEG" for NEGATIVE). Throws InputError.
int gold_index(const ModelInfo& info, const std::map<std::string, std::string>& names,
               const std::string& gold);
// The target of an example; if it has none, `left_out` says why.
TargetSpec target_of(const LoadedModel& loaded, const EvaluateRequest& request,
                     const EvaluationExample& example, std::string& left_out);
// The example with the model's mask in its blank, or with the text ending there; spans are moved accordingly.
// Returns nothing, and the reason in `left_out`, if the model cannot be asked about it.
std::optional<EvaluationExample> placed(const LoadedModel& loaded, EvaluationExample example,
                                        std::string& left_out);

// The tokens of each unit: single tokens, or the tokens of each word.
std::vector<std::vector<int>> units_of_tokens(const std::vector<Unit>& tokens, View::Unit unit);

// What all methods share for an example, except its units and its label.
Sample sample_of(const LoadedModel& loaded, const EvaluationExample& example, const Report& report);

// For every example, the layers at which a linear probe recognises its property; empty if it has none.
// `asked` holds the examples as they are given to the model, and nothing in the place of one that is left
// out. Throws InputError for too few examples, or unless there are two properties.
std::vector<std::vector<bool>> probe_layers(const LoadedModel& loaded,
                                            const std::vector<std::optional<EvaluationExample>>& asked,
                                            std::uint64_t seed);

// Throws InputError or Unsupported for what cannot be evaluated together, or not with this model.
void check_request(const EvaluateRequest& request, const std::vector<ChosenMetric>& metrics,
                   const ModelInfo& info);

// The input of a metric of the model itself, and all its values.
ModelTrial model_trial(const LoadedModel& loaded, const EvaluateRequest& request);
std::vector<ExampleValues> model_values(const LoadedModel& loaded, const ChosenMetric& metric,
                                        const EvaluateRequest& request);

// Computes means, intervals and tests from the measured values.
void sum_up(const std::vector<ChosenMetric>& metrics, const std::vector<ExampleValues>& values,
            const EvaluateRequest& request, EvaluateReport& report);

// How examples are explained: by a model, possibly for a given target, without a view.
struct Explainer {
  const LoadedModel& loaded;
  std::function<Report(const LoadedModel& with, const Request&, const Target* aimed)> explain;
  // The bytes that an explanation takes.
  std::function<std::size_t(const Request&)> planned;
  // The model with other weights.
  std::function<LoadedModel(const std::function<void(const std::string&, Tensor&)>& change)> changed;
  double deviation = 0.02;  // standard deviation of untrained weights
};

EvaluateReport evaluate_examples(const Explainer& explainer, const EvaluateRequest& request,
                                 RunRecord record);
// Throws what the run would throw before its first example.
EvaluatePlan plan_examples(const Explainer& explainer, const EvaluateRequest& request);

}  // namespace headwater
