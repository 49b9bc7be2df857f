// Examples are processed in windows: every method explains each example of a window, then all changed inputs
// of the window run together, then the metrics measure. The values of an example do not depend on its window.
//
// The examples of a window are explained side by side, each on one thread, if memory allows: the products of
// a short text are too small for several threads to share. The rest is done in the order of the examples.
#include "evaluation/run/evaluate.h"

#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <thread>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/parallel.h"
#include "base/side_by_side.h"
#include "evaluation/run/plan.h"
#include "evaluation/run/variations.h"
#include "evaluation/trial/perturbed_runs.h"
#include "explain/checking.h"
#include "result/answer_rows.h"
#include "result/rows.h"
#include "result/text_windows.h"
#include "tensor/pool.h"

namespace headwater {

namespace {

constexpr std::size_t window_inputs = 8192, window_images = 256;  // changed inputs that wait at one time
constexpr std::uint64_t random_maps =
    1U << 20U;  // keeps random maps apart from the random rows of other metrics

using LayerRows = std::vector<std::vector<double>>;  // [layer][token]

// An example in progress.
struct Pending {
  ExampleValues values;
  std::optional<EvaluationExample> asked;  // as it is given to the model
  Request request = {};
  Report report = {};               // without its results, of which only the answer's rows are kept:
  std::vector<LayerRows> rows;      // of each explainer
  std::vector<LayerRows> maps;      // of each method, if a metric reads them
  std::vector<TextWindow> windows;  // windows of a text; several if it is longer than the model's limit
  std::vector<std::vector<LayerRows>> other;  // [variation][method]; none: no such variation
  std::exception_ptr error = nullptr;
  Sample sample;
  std::vector<Trial> trials;                    // of each method, the random explanation last
  std::vector<std::vector<double>> references;  // per unit, of each explainer
  std::vector<std::vector<std::vector<double>>>
      varied;  // per unit: [variation][method]; none: no such variation
  std::vector<std::vector<std::vector<std::size_t>>> tickets;  // [metric][method]
};

class Evaluating {
 public:
  // `max_memory` bounds an explanation; 0: no bound.
  Evaluating(const Explainer& explainer, const EvaluateRequest& request,
             const std::vector<ChosenMetric>& metrics, std::size_t max_memory)
      : loaded_(explainer.loaded),
        explainer_(explainer),
        request_(request),
        metrics_(metrics),
        max_memory_(max_memory),
        explainers_(explainers_of(request, metrics_)),
        variations_(explainer, metrics_, request.seed),
        runs_(explainer.loaded) {
    if (std::none_of(metrics_.begin(), metrics_.end(),
                     [](const ChosenMetric& metric) { return metric.evaluation->probes; }))
      return;
    std::vector<std::optional<EvaluationExample>> asked;
    for (const EvaluationExample& example : request.examples) {
      std::string left_out;
      target_of(loaded_, request_, example, left_out);
      asked.push_back(left_out.empty() ? placed(loaded_, example, left_out) : std::nullopt);
    }
    probes_ = probe_layers(loaded_, asked, request.seed);
  }

  // Starts some of the shard's examples from this one on and returns their number.
  std::size_t add(std::size_t next) {
    const std::size_t before = pending_.size();
    const std::size_t end = std::min(request_.shard.of(request_.examples.size()), next + room());
    for (std::size_t most = 0; next < end; ++next) {
      pending_.push_back(std::make_unique<Pending>());
      Pending& made = *pending_.back();
      const std::size_t number = request_.shard.number(next);
      made.values.example = number;
      guarded(made, [&] { pose(request_.examples[number], made); });
      if (made.asked) most = std::max(most, planned(made.request));
      const std::size_t together = std::min<std::size_t>(pending_.size() - before + 1, threads_);
      if (made.error || max_memory_ > 0 || most > bytes_side_by_side / together) break;
    }
    const std::span added(pending_.data() + before, pending_.size() - before);
    const auto caller = std::this_thread::get_id();
    side_by_side(static_cast<std::int64_t>(added.size()), [&](std::int64_t i) {
      Pending& made = *added[static_cast<std::size_t>(i)];
      if (!made.asked || made.error) return;
      made.request.progress = std::this_thread::get_id() == caller ? on_progress : nullptr;
      guarded(made, [&] { explain(made); });
    });
    for (const auto& made : added) {
      const std::size_t waiting = runs_.waiting();
      if (made->asked && !made->error) guarded(*made, [&] { settle(*made); });
      if (made->error) std::rethrow_exception(made->error);
      most_asks_ = std::max(most_asks_, runs_.waiting() - waiting);
    }
    return added.size();
  }

  bool full() const { return runs_.waiting() >= most_waiting() || pending_.size() >= examples_in_a_window; }

  // Runs and measures what is pending, and reports the values.
  void finish(const std::function<void(ExampleValues)>& give, const std::function<void(double)>& advance) {
    const std::size_t waiting = runs_.waiting();
    runs_.run([&](std::size_t done) {
      if (advance)
        advance(static_cast<double>(done) / static_cast<double>(std::max<std::size_t>(1, waiting)));
    });
    ran_ += waiting;
    for (const auto& pending : pending_) {
      if (pending->values.left_out.empty()) measure(*pending);
      give(std::move(pending->values));
    }
    pending_.clear();
    runs_.forget();
  }

  std::size_t ran() const { return ran_; }
  std::function<void(const Progress&)> on_progress;

 private:
  std::size_t most_waiting() const { return loaded_.processor ? window_images : window_inputs; }

  // The number of examples that fit into the window, by what they have requested so far.
  std::size_t room() const {
    if (most_asks_ == 0) return std::min(2 * threads_, examples_in_a_window);
    const std::size_t left = most_waiting() - std::min(most_waiting(), runs_.waiting());
    return std::clamp<std::size_t>(left / most_asks_, 1, examples_in_a_window - pending_.size());
  }

  // Bytes of a request; more than any bound if it cannot be explained, so that it runs alone.
  std::size_t planned(const Request& request) const {
    try {
      return explainer_.planned(request);
    } catch (const Error&) {
      return std::numeric_limits<std::size_t>::max();
    }
  }

  // Runs `work`, or keeps its exception with the example's name.
  template <class Work>
  void guarded(Pending& made, const Work& work) const {
    const std::string& name = request_.examples[made.values.example].name;
    try {
      work();
    } catch (const InputError& error) {
      made.error = name.empty()
                       ? std::current_exception()
                       : std::make_exception_ptr(InputError(fmt::format("{}: {}", name, error.what())));
    } catch (const Error&) {
      made.error = std::current_exception();
    }
  }

  // The request for an example, if the model can be asked about it.
  void pose(const EvaluationExample& given, Pending& made) const {
    const TargetSpec target = target_of(loaded_, request_, given, made.values.left_out);
    if (!made.values.left_out.empty()) return;
    made.asked = placed(loaded_, given, made.values.left_out);
    if (!made.asked) return;
    made.request = {.input = made.asked->input,
                    .target = target,
                    .methods = explainers_.specs,
                    .max_memory = max_memory_};
    made.windows = windows_of(loaded_, made.asked->input, request_.overlap);
    if (made.windows.size() > 1)
      made.request.input.text = part_of(made.asked->input.text, made.windows[0].text);
  }

  // May run on any thread.
  void explain(Pending& made) const {
    const WithoutChecks quick;  // tables show none
    if (made.windows.size() > 1) return explain_windows(made);
    made.report = explainer_.explain(loaded_, made.request, nullptr);
    for (const Attribution& result : made.report.attributions) {
      made.rows.push_back(answer_by_layer(made.report, result));
      if (reads_maps()) made.maps.push_back(map_weights_by_layer(made.report, result));
    }
    made.report.attributions.clear();
    if (!variations_.any()) return;
    Request again = made.request;
    again.methods.resize(explainers_.asked);
    for (const std::optional<Report>& other : variations_.explained(again, made.report)) {
      made.other.emplace_back();
      if (!other) continue;
      for (const Attribution& result : other->attributions)
        made.other.back().push_back(answer_by_layer(*other, result));
    }
  }

  // A text longer than the model's limit: every window is explained for the label of the whole text.
  void explain_windows(Pending& made) const {
    std::vector<Report> reports;
    Request request = made.request;
    const auto explain_all = [&](const std::vector<MethodSpec>& methods) {
      reports.clear();
      request.methods = methods;
      for (const TextWindow& window : made.windows) {
        request.input.text = part_of(made.asked->input.text, window.text);
        reports.push_back(explainer_.explain(loaded_, request, nullptr));
      }
    };
    if (request.target.label.empty()) {
      explain_all({});
      request.target.label = std::to_string(label_of_windows(reports));
    }
    explain_all(explainers_.specs);
    ReadTokens read = joined_windows(made.windows, reports);
    made.rows = std::move(read.rows);
    made.report = std::move(reports.front());
    made.report.attributions.clear();
    made.report.prediction.units = std::move(read.tokens);
  }

  void settle(Pending& made) {
    const EvaluationExample& example = *made.asked;
    const bool whole = made.windows.size() == 1;
    made.sample = sample_of(loaded_, example, made.report);
    made.sample.number = made.values.example;
    made.sample.seed = request_.seed;
    if (!probes_.empty()) made.sample.probe_right = probes_[made.values.example];
    if (!example.gold.empty() && !loaded_.info().labels.empty())
      made.sample.gold = gold_index(loaded_.info(), request_.gold_labels, example.gold);
    std::size_t input = 0;
    if (whole) input = runs_.add(prepare(loaded_, example.input), made.report.target, request_.unit);
    made.sample.units = whole ? runs_.units(input) : units_of_tokens(made.sample.tokens, request_.unit);
    const std::size_t tokens = made.rows.front().back().size();
    for (std::size_t m = 0; m < explainers_.specs.size(); ++m) {
      made.references.push_back(unit_scores(made.rows[m].back(), made.sample));
      if (m < explainers_.asked)
        made.trials.push_back({made.sample, std::move(made.rows[m]), made.references.back(), {}});
    }
    std::vector<std::vector<double>> random;  // of every layer
    for (int layer = loaded_.info().last().layers; layer-- > 0;)
      random.push_back(random_row(made.sample, tokens, static_cast<std::uint64_t>(layer)));
    std::vector<double> scores = unit_scores(random.back(), made.sample);
    made.trials.push_back({made.sample, std::move(random), std::move(scores), {}});
    if (reads_maps()) add_maps(made, tokens);
    vary(made);
    made.report = {};
    ask(made, input);
  }

  bool reads_maps() const {
    return std::any_of(metrics_.begin(), metrics_.end(),
                       [](const ChosenMetric& metric) { return metric.evaluation->maps; });
  }

  // The random explanation's map has random rows.
  void add_maps(Pending& made, std::uint64_t tokens) const {
    for (std::size_t m = 0; m < explainers_.asked; ++m) made.trials[m].maps = std::move(made.maps[m]);
    for (std::uint64_t layer = 0; layer < static_cast<std::uint64_t>(loaded_.info().last().layers); ++layer) {
      std::vector<double>& map = made.trials.back().maps.emplace_back();
      for (std::uint64_t query = 0; query < tokens; ++query)
        for (const double one : random_row(made.sample, tokens, random_maps + layer * tokens + query))
          map.push_back(one);
    }
  }

  void vary(Pending& made) const {
    for (const std::vector<LayerRows>& other : made.other) {
      made.varied.emplace_back(made.trials.size());
      if (other.empty()) continue;
      for (std::size_t m = 0; m < explainers_.asked; ++m)
        made.varied.back()[m] = unit_scores(other[m].back(), made.sample);
      made.varied.back().back() = unit_scores(
          random_row(made.sample, made.trials.back().rows.back().size(), 1000 + made.varied.size()),
          made.sample);
    }
  }

  void ask(Pending& made, std::size_t input) {
    for (const ChosenMetric& metric : metrics_) {
      made.tickets.emplace_back(made.trials.size());
      if (metric.evaluation->asks == nullptr) continue;
      std::string replace = "auto";
      for (const auto& [name, value] : metric.options.all())
        if (name == "replace") replace = value;
      for (std::size_t m = 0; m < made.trials.size(); ++m)
        for (Perturbation& changed : metric.evaluation->asks(made.trials[m], metric.options))
          made.tickets.back()[m].push_back(runs_.ask(input, replace, std::move(changed)));
    }
  }

  void measure(Pending& made) {
    for (std::size_t k = 0; k < metrics_.size(); ++k) {
      made.values.values.emplace_back();
      const auto reference = explainers_.reference[k];
      for (std::size_t m = 0; m < made.trials.size(); ++m) {
        Trial& trial = made.trials[m];
        trial.varied.clear();
        for (const std::size_t v : variations_.of(metrics_[k])) trial.varied.push_back(made.varied[v][m]);
        trial.reference = reference ? made.references[*reference] : std::vector<double>{};
        std::vector<Reply> replies;
        for (const std::size_t ticket : made.tickets[k][m]) replies.push_back(runs_.reply(ticket));
        made.values.values.back().push_back(
            metrics_[k].evaluation->measure(trial, metrics_[k].options, replies));
      }
    }
  }

  const LoadedModel& loaded_;
  const Explainer& explainer_;
  const EvaluateRequest& request_;
  const std::vector<ChosenMetric>& metrics_;
  const std::size_t max_memory_;
  const Explainers explainers_;
  const Variations variations_;
  std::vector<std::vector<bool>> probes_;  // of every example; empty: no metric needs them
  PerturbedRuns runs_;
  std::vector<std::unique_ptr<Pending>> pending_;
  std::size_t ran_ = 0, most_asks_ = 0;  // most_asks_: requests of one example
  const std::size_t threads_ = static_cast<std::size_t>(thread_count());
};

}  // namespace

EvaluateReport evaluate_examples(const Explainer& explainer, const EvaluateRequest& request,
                                 RunRecord record) {
  const auto start = std::chrono::steady_clock::now();
  const LoadedModel& loaded = explainer.loaded;
  const std::vector<ChosenMetric> metrics = metrics_of(request, loaded.info());
  check_request(request, metrics, loaded.info());
  std::optional<pool::KeepNothing> bounded;  // otherwise free buffers would be added to the plan
  std::size_t left = 0;
  if (request.max_memory > 0) {
    left = request.max_memory - planned_evaluation(explainer, request, metrics).resident;
    bounded.emplace();
  }
  std::vector<ExampleValues> values = request.before;
  const auto give = [&](ExampleValues made) {
    if (request.keep) request.keep(made);
    values.push_back(std::move(made));
  };
  std::size_t next = values.size(), perturbed = 0;
  const std::size_t all = request.shard.of(request.examples.size());
  const auto tell = [&](const Progress& progress) {
    if (request.progress) request.progress(progress, values.size());
  };
  if (next < all && is_of_model(metrics)) {
    std::vector<ExampleValues> made = model_values(loaded, metrics.front(), request);
    for (; next < made.size(); ++next) give(std::move(made[next]));
  } else if (next < all) {
    Evaluating evaluating(explainer, request, metrics, left);
    evaluating.on_progress = tell;
    while (next < all) {
      next += evaluating.add(next);
      if (evaluating.full() || next == all)
        evaluating.finish(give, [&](double done) { tell({.method = "changed inputs", .done = done}); });
    }
    perturbed = evaluating.ran();
  }
  EvaluateReport report{.model = loaded.info(), .perturbed_inputs = perturbed};
  if (request.shard.count == 1) sum_up(metrics, values, request, report);
  report.record = std::move(record);
  report.record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

EvaluatePlan plan_examples(const Explainer& explainer, const EvaluateRequest& request) {
  const std::vector<ChosenMetric> metrics = metrics_of(request, explainer.loaded.info());
  check_request(request, metrics, explainer.loaded.info());
  return planned_evaluation(explainer, request, metrics).plan;
}

}  // namespace headwater
