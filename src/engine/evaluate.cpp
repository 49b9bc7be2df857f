// Examples go through in windows: each is explained by every method, then all changed inputs of the window
// are run together, then measured. What is measured of an example does not depend on its window.
#include "engine/evaluate.h"

#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <headwater/error.h>

#include "engine/evaluation_plan.h"
#include "engine/evaluation_variations.h"
#include "engine/evaluation_windows.h"
#include "report/focus.h"
#include "tensor/pool.h"
#include "trial/perturbed_runs.h"

namespace headwater {

namespace {

constexpr std::size_t window_inputs = 4096, window_images = 256;  // changed inputs that wait at a time
constexpr std::uint64_t random_maps = 1U << 20U;                  // behind the random rows of other metrics

// The id of a word that is one token, as targets write it; nothing if it is several.
std::optional<std::string> one_token(const Tokenizer& tokenizer, const std::string& word) {
  for (const std::string& text : {" " + word, word}) {
    std::vector<int> ids;
    for (const Token& token : tokenizer.encode(text, std::nullopt, {}).tokens)
      if (!token.special) ids.push_back(token.id);
    if (ids.size() == 1) return fmt::format("#{}", ids.front());
  }
  return std::nullopt;
}

// An example under way.
struct Pending {
  ExampleValues values;
  Sample sample;
  std::vector<Trial> trials;                             // of each method, the random explanation last
  std::vector<std::vector<double>> references;           // per unit, of each explainer
  std::vector<std::vector<std::vector<double>>> varied;  // per unit: [variation][method]; none: no such one
  std::vector<std::vector<std::vector<std::size_t>>> tickets;  // [metric][method]
};

class Evaluating {
 public:
  // `max_memory`: of an explanation; 0: no bound.
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
      target_of(example, left_out);
      asked.push_back(left_out.empty() ? placed(loaded_, example, left_out) : std::nullopt);
    }
    probes_ = probe_layers(loaded_, asked, request.seed);
  }

  void add(std::size_t number) {
    const EvaluationExample& example = request_.examples[number];
    pending_.push_back(std::make_unique<Pending>());
    Pending& made = *pending_.back();
    made.values.example = number;
    try {
      begin(example, number, made);
    } catch (const InputError& error) {
      throw InputError(example.name.empty() ? error.what()
                                            : fmt::format("{}: {}", example.name, error.what()));
    }
  }

  bool full() const {
    const std::size_t most = loaded_.processor ? window_images : window_inputs;
    return runs_.waiting() >= most || pending_.size() >= examples_in_a_window;
  }

  // Runs and measures what is pending, and gives it out.
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
  TargetSpec target_of(const EvaluationExample& example, std::string& left_out) const {
    TargetSpec target = example.target;
    if (target.label.empty() && request_.explained == EvaluateRequest::Explained::Gold) {
      if (example.gold.empty())
        throw InputError("target: expected a gold label to explain, found none; explain the prediction");
      target.label = std::to_string(gold_index(loaded_.info(), request_.gold_labels, example.gold));
    }
    if (!example.one_token || !loaded_.tokenizer) return target;
    for (std::string* word : {&target.label, &target.contrast}) {
      if (word->empty()) continue;
      const std::optional<std::string> id = one_token(*loaded_.tokenizer, *word);
      if (!id) {
        left_out = fmt::format("'{}' is more than one token", *word);
        return target;
      }
      *word = *id;
    }
    return target;
  }

  void begin(const EvaluationExample& given, std::size_t number, Pending& made) {
    const TargetSpec target = target_of(given, made.values.left_out);
    if (!made.values.left_out.empty()) return;
    const std::optional<EvaluationExample> in_place = placed(loaded_, given, made.values.left_out);
    if (!in_place) return;
    const EvaluationExample& example = *in_place;
    Request request{.input = example.input,
                    .target = target,
                    .methods = explainers_.specs,
                    .max_memory = max_memory_,
                    .progress = on_progress};
    const std::vector<TextWindow> windows = windows_of(loaded_, example.input, request_.overlap);
    if (windows.size() > 1) return begin_in_windows(example, windows, std::move(request), made);
    const Report report = explainer_.explain(loaded_, request, nullptr);
    describe(example, number, report, made);
    const std::size_t input = runs_.add(prepare(loaded_, example.input), report.target, request_.unit);
    made.sample.units = runs_.units(input);
    std::vector<std::vector<std::vector<double>>> rows;
    for (const Attribution& result : report.attributions) rows.push_back(answer_by_layer(report, result));
    try_methods(made, std::move(rows), static_cast<std::size_t>(unit_count(report)));
    read_maps(made, report);
    request.methods.resize(explainers_.asked);
    vary(made, request, report);
    ask(made, input);
  }

  // A text longer than the model: every window is explained for the label of the whole.
  void begin_in_windows(const EvaluationExample& example, const std::vector<TextWindow>& windows,
                        Request request, Pending& made) const {
    std::vector<Report> reports;
    const auto explain_all = [&](const std::vector<MethodSpec>& methods) {
      reports.clear();
      request.methods = methods;
      for (const TextWindow& window : windows) {
        request.input.text = part_of(example.input.text, window.text);
        reports.push_back(explainer_.explain(loaded_, request, nullptr));
      }
    };
    if (request.target.label.empty()) {
      explain_all({});
      request.target.label = std::to_string(label_of_windows(reports));
    }
    explain_all(explainers_.specs);
    ReadTokens read = joined(windows, reports);
    reports.front().prediction.units = std::move(read.tokens);
    describe(example, made.values.example, reports.front(), made);
    made.sample.units = units_of_tokens(made.sample.tokens, request_.unit);
    try_methods(made, std::move(read.rows), made.sample.tokens.size());
    made.tickets.assign(metrics_.size(), std::vector<std::vector<std::size_t>>(made.trials.size()));
  }

  void describe(const EvaluationExample& example, std::size_t number, const Report& report,
                Pending& made) const {
    made.sample = sample_of(loaded_, example, report);
    made.sample.number = number;
    made.sample.seed = request_.seed;
    if (!probes_.empty()) made.sample.probe_right = probes_[number];
    if (!example.gold.empty() && !loaded_.info().labels.empty())
      made.sample.gold = gold_index(loaded_.info(), request_.gold_labels, example.gold);
  }

  // A trial of every method that was asked for, and of random numbers for every layer.
  void try_methods(Pending& made, std::vector<std::vector<std::vector<double>>> rows,
                   std::size_t tokens) const {
    for (std::size_t m = 0; m < rows.size(); ++m) {
      tokens = rows[m].back().size();
      made.references.push_back(unit_scores(rows[m].back(), made.sample));
      if (m < explainers_.asked)
        made.trials.push_back({made.sample, std::move(rows[m]), made.references.back(), {}});
    }
    std::vector<std::vector<double>> random;
    for (int layer = loaded_.info().last().layers; layer-- > 0;)
      random.push_back(random_row(made.sample, tokens, static_cast<std::uint64_t>(layer)));
    std::vector<double> scores = unit_scores(random.back(), made.sample);
    made.trials.push_back({made.sample, std::move(random), std::move(scores), {}});
  }

  // Whole maps, for metrics that read them; the random explanation has one of random rows.
  void read_maps(Pending& made, const Report& report) const {
    if (std::none_of(metrics_.begin(), metrics_.end(),
                     [](const ChosenMetric& metric) { return metric.evaluation->maps; }))
      return;
    for (std::size_t m = 0; m < explainers_.asked; ++m)
      made.trials[m].maps = maps_by_layer(report, report.attributions[m]);
    const auto tokens = static_cast<std::uint64_t>(unit_count(report));
    for (std::uint64_t layer = 0; layer < static_cast<std::uint64_t>(loaded_.info().last().layers); ++layer) {
      std::vector<double>& map = made.trials.back().maps.emplace_back();
      for (std::uint64_t query = 0; query < tokens; ++query)
        for (const double one : random_row(made.sample, tokens, random_maps + layer * tokens + query))
          map.push_back(one);
    }
  }

  void vary(Pending& made, const Request& request, const Report& report) const {
    if (!variations_.any()) return;
    for (const std::optional<Report>& other : variations_.explained(request, report)) {
      made.varied.emplace_back(made.trials.size());
      if (!other) continue;
      for (std::size_t m = 0; m < explainers_.asked; ++m)
        made.varied.back()[m] =
            unit_scores(answer_by_layer(*other, other->attributions[m]).back(), made.sample);
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
  std::vector<std::vector<bool>> probes_;  // of every example; empty: no metric asks for them
  PerturbedRuns runs_;
  std::vector<std::unique_ptr<Pending>> pending_;
  std::size_t ran_ = 0;
};

}  // namespace

EvaluateReport evaluate_examples(const Explainer& explainer, const EvaluateRequest& request,
                                 RunRecord record) {
  const auto start = std::chrono::steady_clock::now();
  const LoadedModel& loaded = explainer.loaded;
  const std::vector<ChosenMetric> metrics = metrics_of(request, loaded.info());
  check_request(request, metrics, loaded.info());
  std::optional<pool::KeepNothing> bounded;  // or free buffers would count on top of the plan
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
  const auto tell = [&](const Progress& progress) {
    if (request.progress) request.progress(progress, values.size());
  };
  if (is_of_model(metrics)) {
    if (next < request.examples.size()) {
      std::vector<ExampleValues> all = model_values(loaded, metrics.front(), request);
      for (; next < all.size(); ++next) give(std::move(all[next]));
    }
  } else {
    Evaluating evaluating(explainer, request, metrics, left);
    evaluating.on_progress = tell;
    for (; next < request.examples.size(); ++next) {
      evaluating.add(next);
      if (evaluating.full() || next + 1 == request.examples.size())
        evaluating.finish(give, [&](double done) { tell({.method = "changed inputs", .done = done}); });
    }
    perturbed = evaluating.ran();
  }
  EvaluateReport report{.model = loaded.info(), .perturbed_inputs = perturbed};
  sum_up(metrics, values, request, report);
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
