// The facade: finds and loads a model, turns inputs into batches, predictions and reports.
#include <algorithm>
#include <chrono>
#include <optional>

#include <fmt/format.h>
#include <headwater/engine.h>
#include <headwater/formats.h>

#include "blocks/batch.h"
#include "engine/agreement.h"
#include "engine/asked.h"
#include "engine/budget.h"
#include "engine/defaults.h"
#include "engine/generated.h"
#include "engine/identify.h"
#include "engine/impl.h"
#include "engine/jobs.h"
#include "engine/places.h"
#include "engine/recorded_run.h"
#include "engine/states.h"
#include "engine/verify.h"
#include "evaluation/run/evaluate.h"
#include "result/rows.h"
#include "selftest/check.h"
#include "study/generation.h"
#include "study/inputs.h"
#include "study/memory.h"
#include "study/prediction.h"
#include "study/study.h"
#include "study/target.h"
#include "study/terms.h"
#include "study/token_target.h"
#include "study/token_text.h"
#include "tensor/pool.h"

namespace headwater {

namespace {

constexpr double seconds_between_layers = 0.25;  // between partial results of a running method

void require_float32(const ModelInfo& info) {
  if (info.dtype == DType::Float32) return;
  throw InputError(
      "verify: expected a run in float32 to compare with float64, found one in float64; leave out either");
}

// Tokens of the target follow the input and have no bytes in it.
void mark_target(std::vector<Unit>& tokens, int added, const Input& input) {
  for (Unit& token : std::span(tokens).last(static_cast<std::size_t>(added))) {
    const std::string& text = token.sequence > 0   ? input.prefix
                              : token.segment == 0 ? input.text
                                                   : *input.pair;
    token.target = true;
    token.begin = token.end = static_cast<Index>(text.size());
  }
}

// A text without a mask has no output, and methods that explain none need only its run: one row of the task
// head is computed and not read.
bool needs_no_output(const LoadedModel& loaded, const std::vector<Job>& jobs, const TargetSpec& spec,
                     const Encoding& encoding) {
  return loaded.info().task == Task::FillMask && !jobs.empty() && spec.label.empty() &&
         spec.contrast.empty() && !spec.position && mask_rows(loaded, encoding).empty() &&
         std::none_of(jobs.begin(), jobs.end(), [](const Job& job) { return job.method->needs_target; });
}

// Lets the model continue the output before anything is explained, and returns the number of tokens; the
// token that ends the text is not written.
int write_on(const LoadedModel& loaded, Prepared& prepared, int tokens) {
  if (tokens == 0) return 0;
  if (!writes(loaded.info().task))
    throw InputError(
        fmt::format("generate: expected a model that generates text, found {}", loaded.info().architecture));
  Batch start = prepared.batch;
  start.positions.clear();
  Generated made = generate_greedily(*loaded.model, start, {.max_new_tokens = tokens, .ends = loaded.eos});
  if (!made.ids.empty() &&
      std::find(loaded.eos.begin(), loaded.eos.end(), made.ids.back()) != loaded.eos.end())
    made.ids.pop_back();
  append_tokens(loaded, prepared, static_cast<int>(prepared.encoding.tokens.size()) - 1, made.ids);
  return static_cast<int>(made.ids.size());
}

// What a reader sees first: the row the output was read from, and how far results agree in the requested
// view.
void add_answers(Report& report) {
  for (Attribution& result : report.attributions)
    if (!result.scores().empty()) result.answer = answer_rows(report, result);
  if (report.answer_token.empty()) report.answer_token = read_names(report);  // a text in windows has its own
  report.agreement = agreement_of(viewed(report));
}

}  // namespace

std::string version() {
  return HEADWATER_VERSION;
}

Engine::Engine(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;
Engine::~Engine() = default;

Engine Engine::load(const std::string& model, const LoadOptions& options) {
  const ModelFolder folder = find_model(
      model,
      {.cache_dir = options.cache_dir, .revision = options.revision, .shipped = shipped_model_folders()});
  return Engine(std::make_unique<const Impl>(open_checkpoint(folder, options.dtype), options));
}

const ModelInfo& Engine::info() const {
  return impl_->loaded.info();
}

RunRecord Engine::record() const {
  return impl_->record();
}

std::vector<Unit> Engine::tokenize(const Input& input) const {
  if (!impl_->loaded.tokenizer)
    throw InputError(fmt::format("tokenize: expected a text model, found {}", info().architecture));
  const Index limit = input_limit(impl_->loaded);
  const EncodeOptions options{.truncate = input.truncate,
                              .max_length = input.truncate && limit > 0 ? limit : Index{1} << 30};
  Encoding encoding = impl_->loaded.tokenizer->encode(input.text, input.pair, options);
  input.spaced ? words_between_spaces(encoding) : end_words_at_spaces(encoding);
  const Encoding* const one[] = {&encoding};
  return units_of(ModelInfo{}, {.ids = {encoding.ids()}}, one).all;
}

Opened Engine::Impl::open(const LoadedModel& with, const Request& request, const Target* aimed) const {
  const auto start = std::chrono::steady_clock::now();
  const ModelInfo& info = with.info();
  std::vector<Job> jobs = jobs_of(request, info);  // first, so that a misspelled option costs no run
  Prepared prepared = prepare(with, request.input);
  int generated = write_on(with, prepared, request.input.generate);
  if (!explains_generated(request)) generated = 0;
  MovedOn moved{aimed != nullptr ? named_target(*aimed, request.target, info) : request.target};
  const bool no_output = needs_no_output(with, jobs, moved.spec, prepared.encoding);
  if (no_output)
    prepared.batch.positions = {0};
  else if (generated > 0)
    prepared.batch.positions = rows_of_generated(prepared, generated);
  else if (with.tokenizer)
    moved = move_on(with, std::move(moved.spec), prepared);
  Report report{.text = request.input.text,
                .pair = request.input.pair.value_or(""),
                .image = request.input.image,
                .model = info};
  if (is_encoder_decoder(info)) report.prefix = prepared.encoding.text;
  if (prepared.crop.width > 0) report.picture = encode_png(prepared.crop);
  report.fitted = prepared.fitted;
  Study study = open_study(with, prepared);
  Request affordable = request;
  affordable.methods = methods_for(request, info, study.size());
  jobs = jobs_of(affordable, info);
  std::string left_out = left_out_note(request, info, study.size());
  const auto rows = static_cast<Index>(study.batch().positions.size());
  const MemoryPlan plan = plan_memory(jobs, info, study.size(), rows > 0 ? rows : study.size(),
                                      request.max_memory, moved.added + 1);
  if (!plan.sites.empty()) study.keep_only(plan.sites, plan.window);
  study.scratch = plan.scratch;
  return {std::move(jobs), std::move(prepared), std::move(moved),     std::move(report),  std::move(study),
          no_output,       generated,           seconds_since(start), std::move(left_out)};
}

Report Engine::Impl::finish(const LoadedModel& with, const Request& request, const Target* aimed,
                            Opened& opened) const {
  const auto started = std::chrono::steady_clock::now();
  auto& [jobs, prepared, moved, report, study, no_output, generated, seconds, left_out] = opened;
  std::optional<pool::KeepNothing> bounded;  // otherwise free buffers would be added to the plan
  if (request.max_memory > 0) bounded.emplace();
  const Row row = row_of(study.logits(), 0, study.batch().positions);
  report.prediction = read_prediction(with, row, prepared, PredictOptions{}.top);
  mark_target(report.prediction.units, moved.added, request.input);
  if (generated > 0) {  // the last token that was written, and what was predicted there
    Outcome& last = report.prediction.outcomes[report.prediction.outcomes.size() - 2];
    moved.spec.position = last.position;
    report.prediction.outcomes = {Outcome(last)};
  }
  if (no_output)
    report.prediction.outcomes.clear();
  else
    report.target = aimed != nullptr
                        ? *aimed
                        : resolve_target(with, moved.spec, report.prediction, prepared.encoding, row);
  if (has_target(with.info(), report.target)) {
    study.aim(report.target);
    report.prediction.logits = logits_at(row, report.target.position);
  }
  for (const Index read : study.rows_read()) report.read.push_back({study.written(), read});
  const std::vector<std::size_t> turns = turns_of(jobs, request.budget > 0);
  for (std::size_t turn = 0; turn < turns.size(); ++turn) {
    const Job& job = jobs[turns[turn]];
    const auto begin = std::chrono::steady_clock::now();
    if (request.budget > 0)
      study.until = share_of_time(started, request.budget - seconds, turns.size() - turn);
    if (request.progress)
      study.on_progress = [&](double done) {
        request.progress(
            {.method = fmt::format("{}{}", job.method->name, aimed ? " in float64" : ""), .done = done});
      };
    auto shown = begin;
    study.on_layer = nullptr;
    if (request.layers && aimed == nullptr && job.aggregate.empty())
      study.on_layer = [&, &before = report](const std::function<Attribution()>& so_far) {
        if (seconds_since(shown) < seconds_between_layers) return;
        Report now = before;
        now.attributions.push_back(job.method->named(so_far(), job.options));
        now.attributions.back().seconds = seconds_since(begin);
        request.layers(now);
        shown = std::chrono::steady_clock::now();
      };
    const auto earlier = std::count_if(turns.begin(), turns.begin() + static_cast<std::ptrdiff_t>(turn),
                                       [&](std::size_t other) { return other < turns[turn]; });
    Attribution made = run_job(job, study);
    made.seconds = seconds_since(begin);
    if (!left_out.empty() && turn == 0) made.notes.push_back(left_out);
    report.attributions.insert(report.attributions.begin() + earlier, std::move(made));
    if (request.partial && aimed == nullptr && turn + 1 < turns.size()) request.partial(report);
  }
  if (generated > 0 && aimed == nullptr) add_generated(report, jobs, study, with, prepared, row, generated);
  return std::move(report);
}

Report Engine::Impl::explain(const LoadedModel& with, const Request& request, const Target* aimed) const {
  Opened opened = open(with, request, aimed);
  return finish(with, request, aimed, opened);
}

void Engine::Impl::complete(Report& report, const Request& request, double seconds) const {
  report.asked = asked_of(with_settled_options(request, report), report.target, loaded.info());
  add_answers(report);
  report.record = record();
  report.record.seconds = seconds;
}

Report Engine::explain(const Request& request) const {
  const auto start = std::chrono::steady_clock::now();
  if (request.verify) require_float32(info());
  if (request.overlap) {
    require_windows(info());
    const auto windows = windows_of(impl_->loaded, request.input, request.overlap);
    if (windows.size() > 1 && (request.verify || request.budget > 0))
      throw InputError(fmt::format("{}: expected a text that the model reads whole, found one in windows",
                                   request.verify ? "verify" : "budget"));
    if (windows.size() > 1) {
      Request of_windows = request;  // all by the same methods, however short the last one is
      of_windows.methods = methods_for(request, info(), input_limit(impl_->loaded));
      for (MethodSpec& spec : of_windows.methods) spec.if_affordable = false;
      Report report = impl_->explain_windows(of_windows, windows);
      if (const std::string note = left_out_note(request, info(), input_limit(impl_->loaded)); !note.empty())
        report.attributions.front().notes.push_back(note);
      impl_->complete(report, of_windows, seconds_since(start));
      return report;
    }
  }
  Request measured = request;
  const auto completed = [&](const std::function<void(const Report&)>& told) {
    return [&, told](const Report& so_far) {
      Report report = so_far;
      impl_->complete(report, request, seconds_since(start));
      told(report);
    };
  };
  if (request.partial) measured.partial = completed(request.partial);
  if (request.layers) measured.layers = completed(request.layers);
  Report report = impl_->explain(impl_->loaded, measured, nullptr);
  if (request.verify)
    compare_with_exact(
        report, impl_->explain(impl_->exact_model(), with_settled_options(request, report), &report.target));
  impl_->complete(report, request, seconds_since(start));
  return report;
}

Explainer Engine::Impl::explainer(const Engine& engine) const {
  return {.loaded = of_one_sequence(),
          .explain = [this](const LoadedModel& with, const Request& one,
                            const Target* aimed) { return explain(with, one, aimed); },
          .planned = [&engine](const Request& one) { return engine.planned_bytes(one); },
          .changed =
              [this](const std::function<void(const std::string&, Tensor&)>& change) {
                LoadedModel made = loaded;
                Checkpoint fresh = open_checkpoint(identity.folder, loaded.info().dtype);
                fresh.weights = fresh.weights.changed(change);
                made.model = load_model(fresh);
                return made;
              },
          .deviation = identity.config.number("initializer_range", 0.02)};
}

RecordedRun Engine::run(const Input& input, std::span<const PlaceEdit> edits) const {
  Prepared prepared = prepare(impl_->loaded, input);
  write_on(impl_->loaded, prepared, input.generate);
  return RecordedRun(recorded_run(impl_->loaded, prepared, edits));
}

IdentifyReport Engine::identify(const IdentifyRequest& request) const {
  return identify_texts(impl_->of_one_sequence(), impl_->identity, request, impl_->record());
}

IdentifyPlan Engine::plan_identify(const IdentifyRequest& request) const {
  return plan_texts(impl_->of_one_sequence(), request);
}

std::vector<std::vector<double>> Engine::states(const Input& input, int position) const {
  return hidden_vectors(impl_->loaded, input, position);
}

ModelTest Engine::check(std::span<const Input> inputs,
                        const std::function<void(const Progress&)>& progress) const {
  const auto start = std::chrono::steady_clock::now();
  const bool exact = info().dtype == DType::Float64;
  ModelTest test = test_model(impl_->loaded, exact ? impl_->loaded : impl_->exact_model(), inputs, progress);
  test.record = impl_->record();
  test.record.seconds = seconds_since(start);
  return test;
}

EvaluateReport Engine::evaluate(const EvaluateRequest& request) const {
  return evaluate_examples(impl_->explainer(*this), request, impl_->record());
}

EvaluatePlan Engine::plan_evaluate(const EvaluateRequest& request) const {
  return plan_examples(impl_->explainer(*this), request);
}

std::size_t Engine::planned_bytes(const Request& request) const {
  const LoadedModel& loaded = impl_->loaded;
  const std::vector<Job> all = jobs_of(request, info());
  Index tokens = fixed_units(info()), rows = 1, added = 0;
  if (loaded.tokenizer) {
    Input input = request.input;
    if (const auto windows = windows_of(loaded, input, request.overlap); windows.size() > 1)
      input.text = part_of(input.text, windows.front().text);
    const Prepared prepared = prepare(loaded, input);
    const auto wanted = needs_no_output(loaded, all, request.target, prepared.encoding)
                            ? std::vector<int>{0}
                            : wanted_rows(loaded, prepared.encoding, request.target.position);
    added = most_added(loaded, request.target, prepared.encoding);
    added += request.input.generate;
    tokens = static_cast<Index>(prepared.source.tokens.size() + prepared.encoding.tokens.size()) + added;
    rows = wanted.empty() ? tokens : static_cast<Index>(wanted.size()) + added;
  }
  Request affordable = request;
  affordable.methods = methods_for(request, info(), tokens);
  const std::vector<Job> jobs = jobs_of(affordable, info());
  const std::size_t planned = plan_memory(jobs, info(), tokens, rows, request.max_memory, added + 1).total;
  if (!request.verify) return planned;
  require_float32(info());
  ModelInfo exact = info();  // its run comes second, with its own weights
  exact.dtype = DType::Float64;
  return std::max(planned, plan_memory(jobs, exact, tokens, rows, request.max_memory, added + 1).total +
                               exact.parameters * bytes_of(exact.dtype));
}

}  // namespace headwater
