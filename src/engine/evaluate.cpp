// Examples go through in windows: each is explained by every method, then all changed inputs of the window
// are run together, then measured. What is measured of an example does not depend on its window.
//
// Examples of a window are explained side by side, each on one thread, where memory allows: the products of a
// short text are too small for several threads to share. The rest is done in their order.
#include "engine/evaluate.h"

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
#include "engine/evaluation_variations.h"
#include "report/focus.h"
#include "trial/perturbed_runs.h"

namespace headwater {

namespace {

constexpr std::size_t window_inputs = 8192, window_images = 256;  // changed inputs that wait at a time
constexpr std::size_t window_examples = 32;                       // what a kill may cost

// Every method that has to run: those asked for, then those that metrics compare with.
struct Explainers {
  std::vector<MethodSpec> specs;
  std::size_t asked = 0;                              // of them, the first so many
  std::vector<std::optional<std::size_t>> reference;  // of each metric: which of the specs
};

bool same_spec(const MethodSpec& a, const MethodSpec& b) {
  const Method &first = find_method(a.name), &second = find_method(b.name);
  return &first == &second && a.aggregate == b.aggregate &&
         MethodOptions(first.name, first.options, a.options).all() ==
             MethodOptions(second.name, second.options, b.options).all();
}

Explainers explainers_of(const EvaluateRequest& request, const std::vector<ChosenMetric>& metrics) {
  Explainers made{.specs = request.methods, .asked = request.methods.size()};
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

// The one place where scores are read out of a result: the answer's row, [layer][token].
std::vector<std::vector<double>> answer_by_layer(const Report& report, const Attribution& result) {
  std::vector<std::vector<double>> rows;
  if (result.scores().empty())
    throw Unsupported(
        fmt::format("{}: gives no score per token, and metrics measure those", name_of(result)));
  const Tensor all = answer_rows(report, result);
  for (Index layer = 0; layer < all.dim(0); ++layer) rows.push_back(all.rows(layer, 1).to_doubles());
  return rows;
}

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

using LayerRows = std::vector<std::vector<double>>;  // [layer][token]

// An example under way.
struct Pending {
  ExampleValues values;
  std::optional<EvaluationExample> asked;  // as it is put to the model
  Request request = {};
  Report report = {};                         // without its results, of which the answer's rows are kept:
  std::vector<LayerRows> rows;                // of each explainer
  std::vector<std::vector<LayerRows>> other;  // [variation][method]; none: no such one
  std::exception_ptr error = nullptr;
  Sample sample;
  std::vector<Trial> trials;                             // of each method, the random explanation last
  std::vector<std::vector<double>> references;           // per unit, of each explainer
  std::vector<std::vector<std::vector<double>>> varied;  // per unit: [variation][method]; none: no such one
  std::vector<std::vector<std::vector<std::size_t>>> tickets;  // [metric][method]
};

class Evaluating {
 public:
  Evaluating(const Explainer& explainer, const EvaluateRequest& request)
      : loaded_(explainer.loaded),
        explainer_(explainer),
        request_(request),
        metrics_(metrics_of(request, explainer.loaded.info())),
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

  // Takes up some of the examples from this one on, and says how many.
  std::size_t add(std::size_t number) {
    const std::size_t before = pending_.size();
    const std::size_t end = std::min(request_.examples.size(), number + room());
    for (std::size_t most = 0; number < end; ++number) {
      pending_.push_back(std::make_unique<Pending>());
      Pending& made = *pending_.back();
      made.values.example = number;
      guarded(made, [&] { pose(request_.examples[number], made); });
      if (made.asked) most = std::max(most, planned(made.request));
      const std::size_t together = std::min<std::size_t>(pending_.size() - before + 1, threads_);
      if (made.error || request_.max_memory > 0 || most > bytes_side_by_side / together) break;
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

  bool full() const { return runs_.waiting() >= most_waiting() || pending_.size() >= window_examples; }

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

  const std::vector<ChosenMetric>& metrics() const { return metrics_; }
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

  std::size_t most_waiting() const { return loaded_.processor ? window_images : window_inputs; }

  // How many examples fit into the window, by what they have asked so far.
  std::size_t room() const {
    if (most_asks_ == 0) return std::min(2 * threads_, window_examples);
    const std::size_t left = most_waiting() - std::min(most_waiting(), runs_.waiting());
    return std::clamp<std::size_t>(left / most_asks_, 1, window_examples - pending_.size());
  }

  // Bytes of a request; too many for company if it cannot be explained.
  std::size_t planned(const Request& request) const {
    try {
      return explainer_.planned(request);
    } catch (const Error&) {
      return std::numeric_limits<std::size_t>::max();
    }
  }

  // Does it, or keeps what it throws, with the example's name.
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

  // What the model is asked of an example, if it can be.
  void pose(const EvaluationExample& given, Pending& made) const {
    const TargetSpec target = target_of(given, made.values.left_out);
    if (!made.values.left_out.empty()) return;
    made.asked = placed(loaded_, given, made.values.left_out);
    if (!made.asked) return;
    made.request = {.input = made.asked->input,
                    .target = target,
                    .methods = explainers_.specs,
                    .max_memory = request_.max_memory};
  }

  // On any thread.
  void explain(Pending& made) const {
    made.report = explainer_.explain(loaded_, made.request, nullptr);
    for (const Attribution& result : made.report.attributions)
      made.rows.push_back(answer_by_layer(made.report, result));
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

  void settle(Pending& made) {
    const EvaluationExample& example = *made.asked;
    made.sample = sample_of(loaded_, example, made.report);
    made.sample.number = made.values.example;
    made.sample.seed = request_.seed;
    if (!probes_.empty()) made.sample.probe_right = probes_[made.values.example];
    if (!example.gold.empty() && !loaded_.info().labels.empty())
      made.sample.gold = gold_index(loaded_.info(), request_.gold_labels, example.gold);
    const std::size_t input = runs_.add(prepare(loaded_, example.input), made.report.target, request_.unit);
    made.sample.units = runs_.units(input);
    for (std::size_t m = 0; m < explainers_.specs.size(); ++m) {
      made.references.push_back(unit_scores(made.rows[m].back(), made.sample));
      if (m < explainers_.asked)
        made.trials.push_back({made.sample, std::move(made.rows[m]), made.references.back(), {}});
    }
    std::vector<std::vector<double>> random;  // of every layer
    const std::size_t tokens = tokens_of_rows(made, made.report);
    for (int layer = loaded_.info().last().layers; layer-- > 0;)
      random.push_back(random_row(made.sample, tokens, static_cast<std::uint64_t>(layer)));
    std::vector<double> scores = unit_scores(random.back(), made.sample);
    made.trials.push_back({made.sample, std::move(random), std::move(scores), {}});
    vary(made);
    made.report = {};
    if (loaded_.info().task != Task::FeatureExtraction) ask(made, input);
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

  static std::size_t tokens_of_rows(const Pending& made, const Report& report) {
    return made.trials.empty() ? static_cast<std::size_t>(unit_count(report))
                               : made.trials.front().rows.back().size();
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
  const std::vector<ChosenMetric> metrics_;
  const Explainers explainers_;
  const Variations variations_;
  std::vector<std::vector<bool>> probes_;  // of every example; empty: no metric asks for them
  PerturbedRuns runs_;
  std::vector<std::unique_ptr<Pending>> pending_;
  std::size_t ran_ = 0, most_asks_ = 0;  // asks of one example
  const std::size_t threads_ = static_cast<std::size_t>(thread_count());
};

void check_request(const EvaluateRequest& request, const ModelInfo& info) {
  if (request.examples.empty()) throw InputError("examples: expected at least one, found none");
  if (request.methods.empty()) throw InputError("methods: expected at least one, found none");
  if (request.metrics.empty()) throw InputError("metrics: expected at least one, found none");
  if (request.resamples < 1)
    throw InputError(fmt::format("resamples: expected at least 1, found {}", request.resamples));
  if (!(request.level > 0 && request.level < 1))
    throw InputError(fmt::format("level: expected a share between 0 and 1, found {}", request.level));
  if (request.before.size() > request.examples.size())
    throw InternalError("evaluate: expected no more earlier values than examples");
  if (info.task == Task::FeatureExtraction)
    throw Unsupported(
        fmt::format("evaluate: {} has no head, and metrics measure an output; open a folder with one",
                    info.architecture));
}

}  // namespace

std::vector<ChosenMetric> metrics_of(const EvaluateRequest& request, const ModelInfo& info) {
  std::vector<ChosenMetric> metrics;
  const bool pictures = info.task == Task::ImageClassification;
  for (const MetricSpec& spec : request.metrics) {
    const Evaluation& evaluation = find_evaluation(spec.name);
    using Needs = Evaluation::Needs;
    const bool of_pictures = evaluation.needs == Needs::Mask || evaluation.needs == Needs::Image;
    const bool of_texts = evaluation.needs == Needs::Evidence || evaluation.needs == Needs::Cues;
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
    if (evaluation.points != nullptr) evaluation.points(info, metrics.back().options);  // refuses bad lists
  }
  return metrics;
}

EvaluateReport evaluate_examples(const Explainer& explainer, const EvaluateRequest& request,
                                 RunRecord record) {
  const auto start = std::chrono::steady_clock::now();
  const LoadedModel& loaded = explainer.loaded;
  check_request(request, loaded.info());
  Evaluating evaluating(explainer, request);
  std::vector<ExampleValues> values = request.before;
  const auto give = [&](ExampleValues made) {
    if (request.keep) request.keep(made);
    values.push_back(std::move(made));
  };
  std::size_t next = values.size();
  const auto tell = [&](const Progress& progress) {
    if (request.progress) request.progress(progress, values.size());
  };
  evaluating.on_progress = tell;
  while (next < request.examples.size()) {
    next += evaluating.add(next);
    if (evaluating.full() || next == request.examples.size())
      evaluating.finish(give, [&](double done) { tell({.method = "changed inputs", .done = done}); });
  }
  EvaluateReport report{.model = loaded.info(), .perturbed_inputs = evaluating.ran()};
  sum_up(evaluating.metrics(), values, request, report);
  report.record = std::move(record);
  report.record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace headwater
