#include "server/bodies.h"

#include <functional>

#include <fmt/format.h>
#include <headwater/error.h>

#include "explain/aggregate.h"
#include "server/body_fields.h"

namespace headwater {

namespace {

// No body that is well-formed comes near: 256 examples of a few fields, 32 methods and metrics of 64 options.
constexpr std::size_t max_values = 1 << 16;
constexpr std::size_t max_options = 64;
constexpr std::size_t bytes_per_token = 64;  // a text longer than that many per token is refused unread

constexpr FieldPath whole_body{.key = "body", .closed = true};

[[noreturn]] void refuse_body(std::string_view where, std::string_view expected, std::string_view found) {
  throw InputError(fmt::format("{}: expected {}, found {}", where, expected, found));
}

template <class T>
T read_body(const Json& body) {
  try {
    T asked;
    FieldReader::read(body, whole_body, asked);
    return asked;
  } catch (const FormatError& error) {
    throw InputError(error.what());
  }
}

void check_length(const AskedInput& asked, const Engine& engine, const InputLimits& limits) {
  if (asked.picture) return;
  const Input& input = asked.input;
  const std::size_t bytes = input.text.size() + input.prefix.size() + (input.pair ? input.pair->size() : 0);
  const auto most = static_cast<std::size_t>(limits.tokens) * bytes_per_token;
  if (bytes > most) refuse_body("text", fmt::format("at most {} bytes", most), std::to_string(bytes));
  if (engine.info().vocabulary == 0) return;
  std::size_t tokens = engine.tokenize(input).size();
  if (!input.prefix.empty()) tokens += engine.tokenize({.text = input.prefix}).size();
  tokens += static_cast<std::size_t>(input.generate);
  if (tokens > static_cast<std::size_t>(limits.tokens))
    refuse_body("text", fmt::format("at most {} tokens", limits.tokens), std::to_string(tokens));
}

void complete(AskedInput& asked, const Engine& engine, const InputLimits& limits) {
  if (!asked.image.empty()) {
    asked.picture = std::make_shared<const PictureFile>(std::exchange(asked.image, {}), limits.pixels);
    asked.input.image = asked.picture->path();
  }
  if (asked.input.text.empty() && !asked.picture) refuse_body("text", "a text, or an image", "neither");
  check_length(asked, engine, limits);
}

void check_memory(std::size_t planned, const InputLimits& limits) {
  if (planned > limits.memory)
    refuse_body("memory", fmt::format("a run that plans at most {} bytes", limits.memory),
                fmt::format("{}; ask for fewer methods or a shorter text", planned));
}

// A name alone, or an object with the name, options and what `more` reads.
void read_named(const Json& json, const FieldPath& path, std::string& name,
                std::map<std::string, std::string>& texts, const std::function<void(FieldReader&)>& more) {
  if (json.is_string()) {
    name = json.get<std::string>();
    return;
  }
  std::map<std::string, OptionValue> options;
  FieldReader v(json, path);
  v("name", name);
  v.maybe("options", options, {.most = max_options});
  more(v);
  v.finish();
  for (const auto& [key, option] : options) texts[key] = option.text;
}

}  // namespace

void read_value(const Json& json, const FieldPath& path, LabelText& label) {
  if (!json.is_string() && !json.is_number_integer()) of_another_kind(path, "a text or a whole number", json);
  label.text = json.is_string() ? json.get<std::string>() : json.dump();
}

void read_value(const Json& json, const FieldPath& path, OptionValue& option) {
  if (json.is_structured() || json.is_null()) of_another_kind(path, "a text, a number, true or false", json);
  option.text = json.is_string() ? json.get<std::string>() : json.dump();
}

void read_value(const Json& json, const FieldPath& path, MethodSpec& method) {
  read_named(json, path, method.name, method.options, [&](FieldReader& v) {
    v.maybe("aggregate", method.aggregate, {.choices = {aggregates.begin(), aggregates.end()}});
  });
}

void read_value(const Json& json, const FieldPath& path, MetricSpec& metric) {
  read_named(json, path, metric.name, metric.options, [](FieldReader&) {});
}

Json body_of(const std::string& text) {
  try {
    Json body = parse_json_unique(text, "body", max_values);
    if (!body.is_object()) of_another_kind(whole_body, "an object", body);
    return body;
  } catch (const FormatError& error) {
    throw InputError(error.what());
  }
}

std::string model_of(const Json& body) {
  std::string model;
  try {
    FieldReader v(body, whole_file);
    describe_model(v, model);
  } catch (const FormatError& error) {
    throw InputError(error.what());
  }
  return model;
}

AskedInput asked_input(const Json& body, const Engine& engine, const InputLimits& limits) {
  auto asked = read_body<AskedInput>(body);
  complete(asked, engine, limits);
  return asked;
}

AskedPrediction asked_prediction(const Json& body, const Engine& engine, const InputLimits& limits) {
  auto asked = read_body<AskedPrediction>(body);
  complete(asked.of, engine, limits);
  return asked;
}

AskedExplanation asked_explanation(const Json& body, const Engine& engine, const InputLimits& limits) {
  auto asked = read_body<AskedExplanation>(body);
  complete(asked.of, engine, limits);
  if (asked.methods.empty()) asked.methods = default_methods(engine.info());
  if (asked.targets.empty()) asked.targets.emplace_back();
  for (const TargetSpec& target : asked.targets)
    check_memory(
        engine.planned_bytes(
            {.input = asked.of.input, .target = target, .methods = asked.methods, .budget = asked.budget}),
        limits);
  return asked;
}

AskedTree asked_tree(const Json& body, const Engine& engine, const InputLimits& limits) {
  auto asked = read_body<AskedTree>(body);
  complete(asked.of, engine, limits);
  check_memory(engine.planned_bytes(tree_request({.input = asked.of.input, .target = asked.target})), limits);
  return asked;
}

AskedEvaluation asked_evaluation(const Json& body, const Engine& engine, const InputLimits& limits) {
  auto asked = read_body<AskedEvaluation>(body);
  EvaluateRequest& request = asked.request;
  for (AskedExample& example : asked.examples) {
    complete(example.of, engine, limits);
    request.examples.push_back({.input = example.of.input,
                                .target = example.target,
                                .gold = example.label,
                                .name = fmt::format("examples[{}]", request.examples.size())});
  }
  if (request.examples.empty()) refuse_body("examples", "at least one", "none");
  if (request.metrics.empty()) request.metrics = {{"comprehensiveness", {}}, {"sufficiency", {}}};
  // An empty list is for a metric of the model itself.
  request.methods = asked.methods ? *asked.methods : default_methods(engine.info());
  check_memory(engine.plan_evaluate(request).bytes, limits);
  return asked;
}

}  // namespace headwater
