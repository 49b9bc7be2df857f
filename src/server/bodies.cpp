#include "server/bodies.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <headwater/error.h>

#include "explain/aggregate.h"

namespace headwater {

namespace {

constexpr std::size_t max_targets = 16, max_methods = 32, max_metrics = 32, max_examples = 256,
                      max_options = 64;
constexpr int max_generated = 512;
constexpr double max_budget = 3600;
// No body that is well-formed comes near: 256 examples of a few fields, 32 methods and metrics of 64 options.
constexpr std::size_t max_values = 1 << 16;
constexpr std::size_t bytes_per_token = 64;  // a text longer than that many per token is refused unread

std::string_view kind_of(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::object:
      return "an object";
    case Json::value_t::array:
      return "a list";
    case Json::value_t::string:
      return "a text";
    case Json::value_t::boolean:
      return "true or false";
    default:
      return "a number";
  }
}

[[noreturn]] void unexpected(const std::string& where, std::string_view expected, std::string_view found) {
  throw InputError(fmt::format("{}: expected {}, found {}", where, expected, found));
}

// The fields of one object; each is read once, and what nobody read is unknown.
class Fields {
 public:
  Fields(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.is_object()) unexpected(where_, "an object", kind_of(object));
  }

  // Null where there is none. JSON's null is none.
  const Json* find(const std::string& name) {
    read_.insert(name);
    const auto found = object_.find(name);
    return found == object_.end() || found->is_null() ? nullptr : &*found;
  }
  std::string text(const std::string& name, const std::string& otherwise = {}) {
    const Json* value = find(name);
    if (value == nullptr) return otherwise;
    if (!value->is_string()) unexpected(place(name), "a text", kind_of(*value));
    return value->get<std::string>();
  }
  bool yes(const std::string& name) {
    const Json* value = find(name);
    if (value == nullptr) return false;
    if (!value->is_boolean()) unexpected(place(name), "true or false", kind_of(*value));
    return value->get<bool>();
  }
  std::int64_t whole(const std::string& name, std::int64_t otherwise, std::int64_t least, std::int64_t most) {
    const Json* value = find(name);
    if (value == nullptr) return otherwise;
    const double number = value->is_number() ? value->get<double>() : std::nan("");
    if (!(number >= static_cast<double>(least) && number <= static_cast<double>(most)) ||
        number != std::floor(number))
      unexpected(place(name), fmt::format("a whole number from {} to {}", least, most),
                 value->is_number() ? "another" : kind_of(*value));
    return static_cast<std::int64_t>(number);
  }
  double number(const std::string& name, double otherwise, double least, double most) {
    const Json* value = find(name);
    if (value == nullptr) return otherwise;
    if (!value->is_number()) unexpected(place(name), "a number", kind_of(*value));
    const auto number = value->get<double>();
    if (!(number >= least && number <= most))
      unexpected(place(name), fmt::format("a number from {} to {}", least, most), "another");
    return number;
  }
  // A label by its name or its index.
  std::string label(const std::string& name) {
    const Json* value = find(name);
    if (value == nullptr || value->is_string()) return value == nullptr ? "" : value->get<std::string>();
    if (!value->is_number_integer()) unexpected(place(name), "a text or a whole number", kind_of(*value));
    return value->dump();
  }
  std::string choice(const std::string& name, const std::vector<std::string>& choices) {
    std::string value = text(name, choices.front());
    if (std::find(choices.begin(), choices.end(), value) == choices.end())
      unexpected(place(name), fmt::format("one of {}", fmt::join(choices, ", ")), "another");
    return value;
  }
  // Of every entry of a list, at most so many.
  template <class F>
  void each(const std::string& name, std::size_t most, const F& take) {
    const Json* list = find(name);
    if (list == nullptr) return;
    if (!list->is_array()) unexpected(place(name), "a list", kind_of(*list));
    if (list->size() > most)
      unexpected(place(name), fmt::format("at most {} entries", most), std::to_string(list->size()));
    for (std::size_t i = 0; i < list->size(); ++i) take((*list)[i], fmt::format("{}[{}]", place(name), i));
  }
  void finish() const {
    for (const auto& field : object_.items())
      if (!read_.contains(field.key()))
        unexpected(where_.empty() ? "body" : where_, fmt::format("the fields {}", fmt::join(read_, ", ")),
                   "another");
  }

 private:
  std::string place(const std::string& name) const { return where_.empty() ? name : where_ + "." + name; }

  const Json& object_;
  std::string where_;
  std::set<std::string> read_;
};

void check_length(const AskedInput& asked, const Engine& engine, const InputLimits& limits) {
  if (asked.picture) return;
  const Input& input = asked.input;
  const std::size_t bytes = input.text.size() + input.prefix.size() + (input.pair ? input.pair->size() : 0);
  const auto most = static_cast<std::size_t>(limits.tokens) * bytes_per_token;
  if (bytes > most) unexpected("text", fmt::format("at most {} bytes", most), std::to_string(bytes));
  if (engine.info().vocabulary == 0) return;
  std::size_t tokens = engine.tokenize(input).size();
  if (!input.prefix.empty()) tokens += engine.tokenize({.text = input.prefix}).size();
  tokens += static_cast<std::size_t>(input.generate);
  if (tokens > static_cast<std::size_t>(limits.tokens))
    unexpected("text", fmt::format("at most {} tokens", limits.tokens), std::to_string(tokens));
}

AskedInput input_in(Fields& fields, const Engine& engine, const InputLimits& limits) {
  AskedInput asked;
  asked.input.text = fields.text("text");
  if (fields.find("pair") != nullptr) asked.input.pair = fields.text("pair");
  asked.input.prefix = fields.text("prefix");
  asked.input.generate = static_cast<int>(fields.whole("generate", 0, 0, max_generated));
  asked.input.truncate = fields.yes("truncate");
  if (const std::string image = fields.text("image"); !image.empty()) {
    asked.picture = std::make_shared<const PictureFile>(image, limits.pixels);
    asked.input.image = asked.picture->path();
  }
  if (asked.input.text.empty() && !asked.picture) unexpected("text", "a text, or an image", "neither");
  check_length(asked, engine, limits);
  return asked;
}

TargetSpec target_in(const Json& value, const std::string& where) {
  Fields fields(value, where);
  TargetSpec target{.label = fields.label("label"), .contrast = fields.label("contrast"), .position = {}};
  if (fields.find("position") != nullptr)
    target.position = static_cast<int>(fields.whole("position", 0, -1, 1 << 30));
  fields.finish();
  return target;
}

std::map<std::string, std::string> options_in(Fields& fields, const std::string& where) {
  std::map<std::string, std::string> options;
  const Json* given = fields.find("options");
  if (given == nullptr) return options;
  if (!given->is_object()) unexpected(where + ".options", "an object", kind_of(*given));
  if (given->size() > max_options)
    unexpected(where + ".options", "fewer of them", std::to_string(given->size()));
  for (const auto& [name, value] : given->items()) {
    if (value.is_structured() || value.is_null())
      unexpected(where + ".options", "texts, numbers, true or false", kind_of(value));
    options[name] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return options;
}

MethodSpec method_in(const Json& value, const std::string& where) {
  if (value.is_string()) return {.name = value.get<std::string>(), .options = {}, .aggregate = {}};
  Fields fields(value, where);
  MethodSpec method{.name = fields.text("name"),
                    .options = options_in(fields, where),
                    .aggregate = fields.choice("aggregate", {aggregates.begin(), aggregates.end()})};
  fields.finish();
  return method;
}

std::vector<MethodSpec> methods_in(Fields& fields, const Engine& engine) {
  std::vector<MethodSpec> methods;
  fields.each("methods", max_methods, [&](const Json& value, const std::string& where) {
    methods.push_back(method_in(value, where));
  });
  return methods.empty() ? default_methods(engine.info()) : methods;
}

View view_in(Fields& fields) {
  View view;
  const Json* value = fields.find("view");
  if (value == nullptr) return view;
  Fields parts(*value, "view");
  if (parts.choice("unit", {"token", "word"}) == "word") view.unit = View::Unit::Word;
  const std::string special = parts.choice("special", {"keep", "hide", "drop"});
  view.special = special == "hide"   ? View::Special::Hide
                 : special == "drop" ? View::Special::Drop
                                     : View::Special::Keep;
  parts.finish();
  return view;
}

void check_memory(std::size_t planned, const InputLimits& limits) {
  if (planned > limits.memory)
    unexpected("memory", fmt::format("a run that plans at most {} bytes", limits.memory),
               fmt::format("{}; ask for fewer methods or a shorter text", planned));
}

}  // namespace

Json body_of(const std::string& text) {
  try {
    Json body = parse_json_unique(text, "body", max_values);
    if (!body.is_object()) unexpected("body", "an object", kind_of(body));
    return body;
  } catch (const FormatError& error) {
    throw InputError(error.what());
  }
}

std::string model_of(const Json& body) {
  return Fields(body, "").text("model");
}

AskedInput asked_input(const Json& body, const Engine& engine, const InputLimits& limits) {
  Fields fields(body, "");
  fields.find("model");
  AskedInput asked = input_in(fields, engine, limits);
  fields.finish();
  return asked;
}

AskedPrediction asked_prediction(const Json& body, const Engine& engine, const InputLimits& limits) {
  Fields fields(body, "");
  fields.find("model");
  AskedPrediction asked{input_in(fields, engine, limits), static_cast<int>(fields.whole("top", 5, 1, 1000))};
  fields.finish();
  return asked;
}

AskedExplanation asked_explanation(const Json& body, const Engine& engine, const InputLimits& limits) {
  Fields fields(body, "");
  fields.find("model");
  AskedExplanation asked{
      .of = input_in(fields, engine, limits), .targets = {}, .methods = methods_in(fields, engine)};
  fields.each("targets", max_targets, [&](const Json& value, const std::string& where) {
    asked.targets.push_back(target_in(value, where));
  });
  if (asked.targets.empty()) asked.targets.emplace_back();
  asked.view = view_in(fields);
  asked.budget = fields.number("budget", 0, 0, max_budget);
  asked.in_background = fields.yes("async");
  fields.finish();
  for (const TargetSpec& target : asked.targets)
    check_memory(
        engine.planned_bytes(
            {.input = asked.of.input, .target = target, .methods = asked.methods, .budget = asked.budget}),
        limits);
  return asked;
}

AskedTree asked_tree(const Json& body, const Engine& engine, const InputLimits& limits) {
  Fields fields(body, "");
  fields.find("model");
  AskedTree asked{.of = input_in(fields, engine, limits)};
  if (const Json* target = fields.find("target")) asked.target = target_in(*target, "target");
  asked.options.tau = fields.number("tau", 0.4, 0, 1);
  asked.options.lambda = fields.number("lambda", 0, 0, 1e6);
  asked.in_background = fields.yes("async");
  fields.finish();
  check_memory(engine.planned_bytes(tree_request({.input = asked.of.input, .target = asked.target})), limits);
  return asked;
}

AskedEvaluation asked_evaluation(const Json& body, const Engine& engine, const InputLimits& limits) {
  Fields fields(body, "");
  fields.find("model");
  AskedEvaluation asked;
  EvaluateRequest& request = asked.request;
  fields.each("examples", max_examples, [&](const Json& value, const std::string& where) {
    Fields example(value, where);
    AskedInput input = input_in(example, engine, limits);
    TargetSpec target;
    if (const Json* chosen = example.find("target")) target = target_in(*chosen, where + ".target");
    request.examples.push_back(
        {.input = input.input, .target = std::move(target), .gold = example.label("label"), .name = where});
    if (input.picture) asked.pictures.push_back(std::move(input.picture));
    example.finish();
  });
  if (request.examples.empty()) unexpected("examples", "at least one", "none");
  fields.each("metrics", max_metrics, [&](const Json& value, const std::string& where) {
    MethodSpec metric = method_in(value, where);
    request.metrics.push_back({std::move(metric.name), std::move(metric.options)});
  });
  if (request.metrics.empty()) request.metrics = {{"comprehensiveness", {}}, {"sufficiency", {}}};
  const Json* methods = fields.find("methods");  // none at all for a metric of the model itself
  if (methods == nullptr || *methods != Json::array()) request.methods = methods_in(fields, engine);
  request.seed = static_cast<std::uint64_t>(fields.whole("seed", 0, 0, std::int64_t{1} << 53));
  request.resamples = static_cast<int>(fields.whole("resamples", 2000, 1, 10000));
  asked.in_background = fields.yes("async");
  fields.finish();
  check_memory(engine.plan_evaluate(request).bytes, limits);
  return asked;
}

}  // namespace headwater
