// For an example of T tokens with M results and the random one, let X be the memory of its explanation
// (jobs.h) and B that of a batch of changed inputs (perturbed_runs.h). Then
//
//   total = models of sanity checks + states of probes + pending + max(X, B)
//
// where pending are the examples that wait for a batch, at most one window: their tokens, their scores [M, L,
// T] (and maps [M, L, T, T] if a metric reads them), their embeddings twice, and a few hundred bytes and T
// bits for each changed input.
#include "evaluation/run/plan.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/parallel.h"
#include "base/side_by_side.h"
#include "evaluation/run/variations.h"
#include "evaluation/trial/perturbed_runs.h"
#include "result/text_windows.h"
#include "study/memory.h"

namespace headwater {

namespace {

constexpr std::size_t bytes_of_token = 512, bytes_of_note = 320, bytes_of_example = 4096;

// A trial of an example with this many units and equal scores: the number of changed inputs does not depend
// on the scores.
std::size_t runs_asked(const ChosenMetric& metric, const ModelInfo& info, std::size_t units) {
  if (metric.evaluation->asks == nullptr) return 0;
  Sample sample;
  for (std::size_t u = 0; u < units; ++u) sample.units.push_back({static_cast<int>(u)});
  sample.width = sample.height = info.image_size;  // 0 for a text
  sample.grid_width = sample.grid_height = info.image_size / std::max(1, info.patch_size);
  const std::vector<double> scores(units, 0.0);
  return metric.evaluation->asks({sample, {scores}, scores, {}}, metric.options).size();
}

class Planning {
 public:
  Planning(const Explainer& explainer, const EvaluateRequest& request,
           const std::vector<ChosenMetric>& metrics)
      : explainer_(explainer),
        info_(explainer.loaded.info()),
        request_(request),
        metrics_(metrics),
        methods_(explainers_of(request, metrics)) {
    for (const ChosenMetric& metric : metrics) {
      maps_ = maps_ || metric.evaluation->maps;
      if (metric.evaluation->variations == nullptr) continue;
      for (const Variation& one : metric.evaluation->variations(info_, metric.options))
        if (std::find(varied_.begin(), varied_.end(), one) == varied_.end()) varied_.push_back(one);
    }
  }

  PlannedEvaluation made() {
    plan_.examples = request_.shard.of(request_.examples.size());
    for (std::size_t n = 0; n < plan_.examples; ++n) add(request_.examples[request_.shard.number(n)]);
    PlannedEvaluation planned{.plan = plan_, .resident = models() + probes() + pending()};
    std::size_t work = explain(planned.resident);
    if (plan_.changed_inputs > 0)
      work = std::max(work,
                      perturbed_batch_bytes(info_, static_cast<Index>(plan_.longest), plan_.changed_inputs));
    planned.plan.bytes = planned.resident + work;
    if (request_.max_memory > 0 && planned.plan.bytes > request_.max_memory) refuse(planned.plan.bytes);
    return planned;
  }

 private:
  void add(const EvaluationExample& given) {
    std::string left_out;
    const TargetSpec target = target_of(explainer_.loaded, request_, given, left_out);
    if (!left_out.empty()) return;
    const std::optional<EvaluationExample> example = placed(explainer_.loaded, given, left_out);
    if (!example) return;
    std::size_t tokens = static_cast<std::size_t>(fixed_units(info_)), units = tokens, windows = 1;
    Request longest{.input = example->input, .target = target, .methods = methods_.specs};
    if (explainer_.loaded.tokenizer) {
      const std::vector<TextWindow> cut = windows_of(explainer_.loaded, example->input, request_.overlap);
      windows = cut.size();
      units = tokens = 0;
      for (const TextWindow& window : cut) {
        Input one = example->input;
        if (windows > 1) one.text = part_of(example->input.text, window.text);
        const Prepared prepared = prepare(explainer_.loaded, one);
        if (prepared.encoding.tokens.size() > tokens) longest.input = one;
        tokens = std::max(tokens, prepared.encoding.tokens.size());
        plan_.tokens += prepared.encoding.tokens.size();
        std::vector<Unit> words;
        for (const Unit& unit : units_of(info_, prepared).all)
          if (!unit.special) words.push_back(unit);
        units += units_of_tokens(words, request_.unit).size();
      }
    } else {
      plan_.tokens += tokens;
    }
    plan_.longest = std::max(plan_.longest, tokens);
    plan_.explanations += windows * methods_.specs.size() + varied_.size() * methods_.asked;
    std::size_t asked = 0;
    for (const ChosenMetric& metric : metrics_)
      asked += runs_asked(metric, info_, units) * (methods_.asked + 1);
    plan_.changed_inputs += asked;
    waiting_ = std::max(waiting_, waiting_bytes(tokens, units, asked, example->input.text.size()));
    if (seen_.emplace(tokens, longest.target.label).second) requests_.push_back(longest);
  }

  // Bytes of one example until it is measured.
  std::size_t waiting_bytes(std::size_t tokens, std::size_t units, std::size_t asked,
                            std::size_t text) const {
    const auto layers = static_cast<std::size_t>(info_.last().layers),
               width = static_cast<std::size_t>(info_.last().width);
    const std::size_t results = methods_.specs.size() + 1, all = std::max(tokens, units);
    std::size_t bytes = bytes_of_example + 4 * text + all * bytes_of_token;
    bytes += sizeof(double) * all * (results * (layers + 2) + varied_.size() * (methods_.asked + 1));
    if (maps_) bytes += sizeof(double) * tokens * tokens * layers * (methods_.asked + 1);
    const std::size_t pixels = static_cast<std::size_t>(info_.image_size) *
                               static_cast<std::size_t>(info_.image_size) *
                               static_cast<std::size_t>(info_.channels);
    bytes += (2 * tokens * width + 2 * pixels) * bytes_of(info_.dtype) + pixels * sizeof(double);
    return bytes + asked * (bytes_of_note + (units + pixels) / 4);
  }

  std::size_t pending() const { return waiting_ * std::min(plan_.examples, examples_in_a_window); }

  std::size_t models() const {
    std::size_t count = 0;
    for (const Variation& one : varied_)
      if (one.kind == Variation::Kind::Randomised || one.kind == Variation::Kind::Shifted) ++count;
    return count * info_.parameters * bytes_of(info_.dtype);
  }

  std::size_t probes() const {
    if (std::none_of(metrics_.begin(), metrics_.end(),
                     [](const ChosenMetric& metric) { return metric.evaluation->probes; }))
      return 0;
    return sizeof(double) * 4 * request_.examples.size() *
           static_cast<std::size_t>(info_.last().layers * info_.last().width);
  }

  // The largest memory of an explanation, within the rest of the bound.
  std::size_t explain(std::size_t resident) {
    std::size_t most = 0;
    for (Request& request : requests_) {
      if (request_.max_memory > 0 && resident >= request_.max_memory) refuse(resident + 1);
      request.max_memory = request_.max_memory > 0 ? request_.max_memory - resident : 0;
      try {
        most = std::max(most, explainer_.planned(request));
      } catch (const InputError& error) {
        if (request_.max_memory == 0) throw;
        throw InputError(fmt::format("{} ({:.1f} MiB of the bound are reserved for waiting examples)",
                                     error.what(), static_cast<double>(resident) / 0x1p20));
      }
    }
    // Without a bound some examples are explained side by side.
    const std::size_t together = static_cast<std::size_t>(thread_count()) * most;
    return request_.max_memory > 0 ? most : std::min(together, std::max(most, bytes_side_by_side));
  }

  [[noreturn]] void refuse(std::size_t least) const {
    throw InputError(
        fmt::format("max-memory: expected at least {:.1f} MiB for {} examples of up to {} tokens, found "
                    "{:.2f} MiB; leave "
                    "out long ones or some metrics, or allow more",
                    std::ceil(static_cast<double>(least) / 0x1p20 * 10) / 10, plan_.examples, plan_.longest,
                    static_cast<double>(request_.max_memory) / 0x1p20));
  }

  const Explainer& explainer_;
  const ModelInfo& info_;
  const EvaluateRequest& request_;
  const std::vector<ChosenMetric>& metrics_;
  const Explainers methods_;
  std::vector<Variation> varied_;
  bool maps_ = false;
  EvaluatePlan plan_;
  std::size_t waiting_ = 0;
  std::set<std::pair<std::size_t, std::string>> seen_;  // lengths and targets that `requests_` already has
  std::vector<Request> requests_;
};

PlannedEvaluation planned_model(const LoadedModel& loaded, const EvaluateRequest& request,
                                const ChosenMetric& metric) {
  const ModelTrial trial = model_trial(loaded, request);
  PlannedEvaluation planned{.plan = {.examples = request.examples.size(),
                                     .bytes = metric.evaluation->model_bytes(trial, metric.options)}};
  for (const LabelledInput& one : trial.inputs) {
    const auto tokens = loaded.tokenizer ? prepare(loaded, one.input).encoding.tokens.size()
                                         : static_cast<std::size_t>(fixed_units(loaded.info()));
    planned.plan.tokens += tokens;
    planned.plan.longest = std::max(planned.plan.longest, tokens);
  }
  return planned;
}

}  // namespace

PlannedEvaluation planned_evaluation(const Explainer& explainer, const EvaluateRequest& request,
                                     const std::vector<ChosenMetric>& metrics) {
  if (is_of_model(metrics)) return planned_model(explainer.loaded, request, metrics.front());
  return Planning(explainer, request, metrics).made();
}

}  // namespace headwater
