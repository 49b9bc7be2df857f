// Checks a request for an evaluation before anything runs.
#include <fmt/format.h>
#include <headwater/error.h>

#include "evaluation/run/evaluate.h"
#include "result/text_windows.h"

namespace headwater {

namespace {

bool same_spec(const MethodSpec& a, const MethodSpec& b) {
  const Method &first = find_method(a.name), &second = find_method(b.name);
  return &first == &second && a.aggregate == b.aggregate &&
         MethodOptions(first.name, first.options, a.options).all() ==
             MethodOptions(second.name, second.options, b.options).all();
}

}  // namespace

Explainers explainers_of(const EvaluateRequest& request, const std::vector<ChosenMetric>& metrics) {
  Explainers made{.specs = request.methods, .asked = request.methods.size()};
  for (MethodSpec& spec : made.specs) spec.if_affordable = false;  // figures are of every example
  for (const ChosenMetric& metric : metrics) {
    made.reference.emplace_back();
    if (metric.evaluation->reference == nullptr) continue;
    const MethodSpec wanted = metric.evaluation->reference(metric.options);
    std::size_t at = 0;
    while (at < made.specs.size() && !same_spec(made.specs[at], wanted)) ++at;
    if (at == made.specs.size()) made.specs.push_back(wanted);
    made.reference.back() = at;
  }
  return made;
}

void check_request(const EvaluateRequest& request, const std::vector<ChosenMetric>& metrics,
                   const ModelInfo& info) {
  if (request.examples.empty()) throw InputError("examples: expected at least one, found none");
  if (request.metrics.empty()) throw InputError("metrics: expected at least one, found none");
  if (request.resamples < 1)
    throw InputError(fmt::format("resamples: expected at least 1, found {}", request.resamples));
  if (!(request.level > 0 && request.level < 1))
    throw InputError(fmt::format("level: expected a share between 0 and 1, found {}", request.level));
  if (request.before.size() > request.shard.of(request.examples.size()))
    throw InternalError("evaluate: expected no more earlier values than examples");
  if (is_of_model(metrics)) {
    if (request.shard.count > 1)
      throw InputError(
          fmt::format("shard: expected metrics of explanations, found {}, which measures the model over all "
                      "examples at once; run it on one machine",
                      metrics.front().evaluation->name));
    if (!request.methods.empty())
      throw InputError(fmt::format("methods: expected none for {}, which measures the model itself, found {}",
                                   metrics.front().evaluation->name, request.methods.front().name));
    return;
  }
  for (const ChosenMetric& metric : metrics)
    if (metric.evaluation->measure_model != nullptr)
      throw InputError(
          fmt::format("metrics: expected {} alone, because it measures the model and not explanations, found "
                      "other metrics too",
                      metric.evaluation->name));
  if (request.methods.empty()) throw InputError("methods: expected at least one, found none");
  if (info.task == Task::FeatureExtraction)
    throw Unsupported(
        fmt::format("evaluate: {} has no task head, and metrics measure an output; open a model with one",
                    info.architecture));
  if (request.overlap) require_windows(info);
}

std::vector<ChosenMetric> metrics_of(const EvaluateRequest& request, const ModelInfo& info) {
  std::vector<ChosenMetric> metrics;
  const bool pictures = info.task == Task::ImageClassification;
  for (const MetricSpec& spec : request.metrics) {
    const Evaluation& evaluation = find_evaluation(spec.name);
    using Needs = Evaluation::Needs;
    const bool of_pictures = evaluation.needs == Needs::Mask || evaluation.needs == Needs::Image;
    const bool of_texts = evaluation.needs == Needs::Evidence || evaluation.needs == Needs::Cues ||
                          evaluation.needs == Needs::Texts;
    if ((of_pictures && !pictures) || (of_texts && pictures))
      throw Unsupported(fmt::format("{}: needs {}, and {} reads {}", evaluation.name,
                                    text_of(evaluation.needs), info.architecture,
                                    pictures ? "images" : "texts"));
    metrics.push_back({&evaluation, MethodOptions(evaluation.name, evaluation.options, spec.options)});
    if (evaluation.reference != nullptr) {
      const MethodSpec reference = evaluation.reference(metrics.back().options);
      const Method& method = find_method(reference.name);
      require_supported(method, info);
    }
    if (evaluation.rows != nullptr) evaluation.rows(metrics.back().options);  // throws for unknown values
    if (evaluation.points != nullptr)
      evaluation.points(info, metrics.back().options);  // throws for bad lists
    if (request.overlap && (evaluation.asks != nullptr || evaluation.variations != nullptr ||
                            evaluation.maps || evaluation.measure_model != nullptr))
      throw Unsupported(
          fmt::format("{}: needs one whole input, and a text in windows is several; leave it out, or cut "
                      "texts with --truncate",
                      evaluation.name));
  }
  return metrics;
}

}  // namespace headwater
