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

// Means, intervals and tests of what was measured.
void sum_up(const std::vector<ChosenMetric>& metrics, const std::vector<ExampleValues>& values,
            const EvaluateRequest& request, EvaluateReport& report);

EvaluateReport evaluate_examples(const LoadedModel& loaded,
                                 const std::function<Report(const Request&)>& explain,
                                 const EvaluateRequest& request, RunRecord record);

}  // namespace headwater
