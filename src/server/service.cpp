#include "server/service.h"

#include <utility>

#include <fmt/format.h>
#include <headwater/error.h>
#include <headwater/formats.h>

#include "files/schema.h"
#include "server/answer_fields.h"
#include "study/inputs.h"

namespace headwater {

namespace {

constexpr auto one_look = std::chrono::milliseconds(250);  // how often a waiting thread looks for its client
constexpr int looks_per_beat = 40;                         // a silent stream says that it is alive

std::string event_text(std::string_view name, const OrderedJson& data) {
  return fmt::format("event: {}\ndata: {}\n\n", name, dump(data, -1));
}

// What a body says; its text, which may be long, is given back.
Json taken_body(HttpRequest& request) {
  return body_of(std::exchange(request.body, {}));
}

// What a follower was told.
struct Seen {
  std::size_t ended = 0, grown = 0;
  std::string progress;
};

// What it has not seen yet.
std::string news_of(const JobState& state, Seen& seen) {
  std::string news;
  for (; seen.ended < state.ended.size(); ++seen.ended) {
    const EndedMethod& method = state.ended[seen.ended];
    news += event_text("attribution",
                       {{"index", seen.ended}, {"method", method.method}, {"seconds", method.seconds}});
  }
  if (seen.grown != state.grown && state.status == JobStatus::Running)
    news += event_text("layers", {{"method", state.method}});
  seen.grown = state.grown;
  if (state.status == JobStatus::Running && !state.method.empty()) {
    std::string now = event_text("progress", {{"method", state.method}, {"done", state.done}});
    if (now != seen.progress) news += seen.progress = std::move(now);
  }
  if (!is_over(state.status)) return news;
  return news + event_text(name_of(state.status), state.status == JobStatus::Failed
                                                      ? FieldWriter::json_of_value(state.failure)
                                                      : FieldWriter::json_of_value(state));
}

std::size_t number_in(const std::string& text) {
  if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != std::string::npos)
    throw Refused(404, "not_found", "scores: expected numbers in the path, found something else");
  return std::stoul(text);
}

// Counts a stream as long as it lives.
class StreamPlace {
 public:
  explicit StreamPlace(std::atomic<std::size_t>& streams) : streams_(streams) { ++streams_; }
  StreamPlace(const StreamPlace&) = delete;
  StreamPlace& operator=(const StreamPlace&) = delete;
  ~StreamPlace() { --streams_; }

 private:
  std::atomic<std::size_t>& streams_;
};

}  // namespace

Service::Service(std::vector<ServedModel> models, const LoadOptions& load, const ServiceOptions& options)
    : options_(options), shelf_(std::move(models), load), jobs_(options.jobs) {}

void Service::stop() {
  jobs_.stop();
}

HttpReply Service::health(HttpRequest&, const Parts&) {
  if (shelf_.loaded()) return json_reply({{"status", "ok"}});
  return reply_of({503, "models: they are being loaded", "unavailable", 1});
}

HttpReply Service::models(HttpRequest&, const Parts&) {
  return json_reply(shelf_.json());
}

HttpReply Service::tokenize(HttpRequest& request, const Parts&) {
  Json body = taken_body(request);
  const SharedEngine engine = shelf_.engine(model_of(body));
  return {.body = tokens_json(engine->tokenize(asked_input(body, *engine, options_.input).input), -1)};
}

HttpReply Service::predict(HttpRequest& request, const Parts&) {
  Json body = taken_body(request);
  const SharedEngine engine = shelf_.engine(model_of(body));
  JobWork work = predicting(engine, asked_prediction(body, *engine, options_.input));
  body = nullptr;  // it may be long, and the work waits
  return run(request, std::move(work), false, JobKind::Short);
}

HttpReply Service::plan(HttpRequest& request, const Parts&) {
  Json body = taken_body(request);
  const std::string& model = shelf_.name_of(model_of(body));
  const SharedEngine engine = shelf_.engine(model);
  InputLimits unbounded = options_.input;
  unbounded.memory = std::numeric_limits<std::size_t>::max();  // it says what would be refused
  AskedExplanation asked = asked_explanation(body, *engine, unbounded);
  body = nullptr;
  if (const auto known = known_plan(*engine, model, asked, times_)) return known->reply(request);
  return run(request, planning(engine, model, std::move(asked), options_.input.memory, times_), false,
             JobKind::Short);
}

HttpReply Service::explain(HttpRequest& request, const Parts&) {
  Json body = taken_body(request);
  const std::string& model = shelf_.name_of(model_of(body));
  const SharedEngine engine = shelf_.engine(model);
  AskedExplanation asked = asked_explanation(body, *engine, options_.input);
  body = nullptr;
  const bool in_background = asked.in_background;
  return run(request, explaining(engine, model, std::move(asked), times_), in_background);
}

HttpReply Service::tree(HttpRequest& request, const Parts&) {
  Json body = taken_body(request);
  const SharedEngine engine = shelf_.engine(model_of(body));
  AskedTree asked = asked_tree(body, *engine, options_.input);
  body = nullptr;
  const bool in_background = asked.in_background;
  return run(request, growing_a_tree(engine, std::move(asked)), in_background);
}

HttpReply Service::evaluate(HttpRequest& request, const Parts&) {
  Json body = taken_body(request);
  const SharedEngine engine = shelf_.engine(model_of(body));
  AskedEvaluation asked = asked_evaluation(body, *engine, options_.input);
  body = nullptr;
  const bool in_background = asked.in_background;
  return run(request, evaluating(engine, std::move(asked)), in_background);
}

HttpReply Service::run(const HttpRequest& request, JobWork work, bool in_background, JobKind kind) {
  const std::string id = jobs_.submit(std::move(work), kind);
  if (in_background) return json_reply(FieldWriter::json_of_value(found(id)), 202);
  JobState state;
  do {
    const auto now = jobs_.wait(id, state.version, one_look);
    if (!now) break;  // finished and already gone from a store that is far too small
    state = *now;
    if (!is_over(state.status) && request.gone()) jobs_.cancel(id);
  } while (!is_over(state.status));
  // What is short is asked for again sooner than it is looked up.
  if (kind == JobKind::Short) jobs_.forget(id);
  if (state.status == JobStatus::Done) return state.result->reply(request);
  if (state.status == JobStatus::Failed) return reply_of(state.failure);
  throw Refused(409, "cancelled", "job: it was cancelled");
}

JobState Service::found(const std::string& id) const {
  auto state = jobs_.look(id);
  if (!state)
    throw Refused(404, "not_found",
                  "job: expected a known one, found none; results are kept until newer ones need the space");
  return *state;
}

HttpReply Service::job(HttpRequest&, const Parts& parts) {
  return json_reply(FieldWriter::json_of_value(found(parts[0])));
}

HttpReply Service::cancel(HttpRequest&, const Parts& parts) {
  const JobState before = found(parts[0]);
  if (is_over(before.status)) {
    jobs_.forget(before.id);
    return json_reply(FieldWriter::json_of_value(before));
  }
  jobs_.cancel(before.id);
  return json_reply(FieldWriter::json_of_value(jobs_.look(before.id).value_or(before)));
}

HttpReply Service::result(HttpRequest& request, const Parts& parts) {
  const JobState state = found(parts[0]);
  if (state.status == JobStatus::Failed) return reply_of(state.failure);
  if (state.status == JobStatus::Cancelled) throw Refused(409, "cancelled", "job: it was cancelled");
  return state.result ? state.result->reply(request) : json_reply(FieldWriter::json_of_value(state), 202);
}

HttpReply Service::scores(HttpRequest&, const Parts& parts) {
  const JobState state = found(parts[0]);
  if (!state.result) throw Refused(404, "not_found", "scores: the job has no result yet");
  try {
    return state.result->layer(number_in(parts[1]), static_cast<std::int64_t>(number_in(parts[2])));
  } catch (const InputError& error) {
    throw Refused(404, "not_found", error.what());
  }
}

HttpReply Service::events(HttpRequest&, const Parts& parts) {
  const std::string id = found(parts[0]).id;
  if (streams_ >= options_.max_streams)
    throw Refused(503, "overloaded", "events: too many clients follow jobs; request the job itself", 5);
  const auto place = std::make_shared<StreamPlace>(streams_);
  return {.type = "text/event-stream",
          .events = [this, id, place](const EventSink& sink) { follow(id, sink); }};
}

void Service::follow(const std::string& id, const EventSink& sink) {
  Seen told;
  // A version no job has: the first look is at once.
  std::uint64_t seen = std::numeric_limits<std::uint64_t>::max();
  for (int silent = 0;;) {
    const auto state = jobs_.wait(id, seen, one_look);
    if (!state) return;
    const std::string news = state->version == seen ? "" : news_of(*state, told);
    seen = state->version;
    if (!news.empty() && !sink(news)) return;
    if (is_over(state->status)) return;
    silent = news.empty() ? silent + 1 : 0;
    if (silent % looks_per_beat == looks_per_beat - 1 && !sink(": waiting\n\n")) return;
  }
}

HttpReply Service::metrics(HttpRequest&, const Parts&) {
  if (!options_.metrics) throw Refused(404, "not_found", "metrics: expected a server started with --metrics");
  return {.type = "text/plain; version=0.0.4", .body = metrics_.text(jobs_.counts())};
}

}  // namespace headwater
