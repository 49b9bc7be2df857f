// The schemas of bodies and answers. Methods, metrics and their options stand there as their records say.
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <headwater/records.h>

#include "report/schema.h"
#include "server/openapi.h"

namespace headwater {

OrderedJson schema_ref(const std::string& name) {
  return {{"$ref", "#/components/schemas/" + name}};
}

OrderedJson schema_of(const char* type, const char* description) {
  OrderedJson schema{{"type", type}};
  if (*description != 0) schema["description"] = description;
  return schema;
}

OrderedJson schema_list(OrderedJson items, int most) {
  OrderedJson schema{{"type", "array"}, {"items", std::move(items)}};
  if (most > 0) schema["maxItems"] = most;
  return schema;
}

OrderedJson schema_object(OrderedJson properties, const std::vector<std::string>& required) {
  OrderedJson schema{{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = required;
  return schema;
}

namespace {

// A body takes what it names and nothing else.
OrderedJson closed(OrderedJson schema) {
  schema["additionalProperties"] = false;
  return schema;
}

OrderedJson nullable(OrderedJson schema) {
  schema["nullable"] = true;
  return schema;
}

OrderedJson with(OrderedJson schema, const char* key, OrderedJson value) {
  schema[key] = std::move(value);
  return schema;
}

OrderedJson enumeration(const std::vector<std::string>& values, const char* description = "") {
  return with(schema_of("string", description), "enum", values);
}

OrderedJson whole(int least, double most, const char* description) {
  OrderedJson schema = schema_of("integer", description);
  schema["minimum"] = least;
  if (std::isfinite(most)) schema["maximum"] = static_cast<std::int64_t>(most);
  return schema;
}

OrderedJson share(double least, double most, double otherwise, const char* description) {
  OrderedJson schema = schema_of("number", description);
  schema["minimum"] = least;
  schema["maximum"] = most;
  schema["default"] = otherwise;
  return schema;
}

OrderedJson label_schema(const char* description) {
  return {{"anyOf", {schema_of("string"), schema_of("integer")}}, {"description", description}};
}

// An option as its record says; where a word is its default, it takes texts too.
OrderedJson schema_of_option(const OptionRecord& option) {
  OrderedJson schema{{"description", fmt::format("{} (default {})", option.help,
                                                 option.otherwise.empty() ? "none" : option.otherwise)}};
  if (option.type == "number" || option.type == "integer") {
    OrderedJson number = schema_of(option.type.c_str());
    if (std::isfinite(option.least)) number["minimum"] = option.least;
    if (std::isfinite(option.most)) number["maximum"] = option.most;
    schema["anyOf"] = OrderedJson::array({number, schema_of("string")});
  } else if (option.type.find('|') != std::string::npos) {
    schema["type"] = "string";
    schema["enum"] = OrderedJson::array();
    for (std::size_t begin = 0; begin <= option.type.size();) {
      const std::size_t end = std::min(option.type.find('|', begin), option.type.size());
      schema["enum"].push_back(option.type.substr(begin, end - begin));
      begin = end + 1;
    }
  } else {
    schema["type"] = "string";
  }
  return schema;
}

OrderedJson options_schema(const std::vector<OptionRecord>& options) {
  OrderedJson properties = OrderedJson::object();
  for (const OptionRecord& option : options) properties[option.name] = schema_of_option(option);
  return closed(schema_object(std::move(properties)));
}

// A name alone, or an object that gives options; one schema for each record.
template <class Record, class F>
OrderedJson choices_of(const std::vector<Record>& records, const F& schema_of_record) {
  std::vector<std::string> names;
  OrderedJson choices = OrderedJson::array();
  for (const Record& record : records) names.push_back(record.name);
  choices.push_back(enumeration(names));
  for (const Record& record : records) choices.push_back(schema_of_record(record));
  return {{"anyOf", choices}};
}

OrderedJson method_schema() {
  return choices_of(method_records(), [](const MethodRecord& method) {
    OrderedJson properties{{"name", enumeration({method.name}, method.summary.c_str())},
                           {"options", options_schema(method.options)}};
    if (method.aggregates)
      properties["aggregate"] = enumeration({"", "rollout", "flow"}, "carries its maps through the layers");
    return closed(schema_object(std::move(properties), {"name"}));
  });
}

OrderedJson metric_schema() {
  return choices_of(evaluation_records(), [](const EvaluationRecord& metric) {
    return closed(schema_object({{"name", enumeration({metric.name}, metric.summary.c_str())},
                                 {"options", options_schema(metric.options)}},
                                {"name"}));
  });
}

OrderedJson input_properties() {
  return {{"text", schema_of("string")},
          {"pair", nullable(schema_of("string", "the second text of a pair, or a question's context"))},
          {"prefix", schema_of("string", "of an encoder–decoder: what the output begins with")},
          {"generate", whole(0, 512, "lets a model that writes go on by so many tokens first")},
          {"truncate", schema_of("boolean", "cut a text that is too long instead of refusing it")},
          {"image", schema_of("string", "PNG or JPEG in base64, alone or as a data: URL; never a path")}};
}

OrderedJson body_schema(const OrderedJson& more, const std::vector<std::string>& required = {}) {
  OrderedJson properties{{"model", schema_of("string", "as /v1/models names it; none: the first")}};
  properties.update(input_properties());
  properties.update(more);
  return closed(schema_object(std::move(properties), required));
}

OrderedJson background() {
  return schema_of("boolean", "answer at once with a job, and compute in the background");
}

OrderedJson bodies() {
  const OrderedJson methods = schema_list(schema_ref("Method"), 32);
  OrderedJson example = input_properties();
  example["label"] = label_schema("what people say it is");
  return {
      {"InputBody", body_schema(OrderedJson::object())},
      {"PredictBody", body_schema({{"top", whole(1, 1000, "scores of a vocabulary head that are kept")}})},
      {"ExplainBody", body_schema({{"targets", schema_list(schema_ref("TargetChoice"), 16)},
                                   {"methods", methods},
                                   {"view", schema_ref("View")},
                                   {"async", background()}})},
      {"TreeBody",
       body_schema({{"target", schema_ref("TargetChoice")},
                    {"tau", share(0, 1, 0.4, "share of a layer's largest attribution an edge needs")},
                    {"lambda", share(0, 1e6, 0, "cost of an edge, in the same shares")},
                    {"async", background()}})},
      {"EvaluateBody",
       closed(schema_object({{"model", schema_of("string")},
                             {"examples", schema_list(closed(schema_object(std::move(example))), 256)},
                             {"methods", methods},
                             {"metrics", schema_list(schema_ref("Metric"), 32)},
                             {"seed", whole(0, 9007199254740992.0, "of random explanations and resamples")},
                             {"resamples", whole(1, 10000, "of the intervals")},
                             {"async", background()}},
                            {"examples"}))},
      {"TargetChoice",
       closed(schema_object(
           {{"label", label_schema("a label, a token or an answer; none: the prediction")},
            {"contrast", label_schema("a second one: the difference is explained")},
            {"position", nullable(whole(-1, 1 << 30, "token position, for token-wise heads"))}}))},
      {"View", closed(schema_object({{"unit", enumeration({"token", "word"})},
                                     {"special", enumeration({"keep", "hide", "drop"})}}))},
      {"Method", method_schema()},
      {"Metric", metric_schema()}};
}

OrderedJson text_fields(const std::vector<const char*>& names) {
  OrderedJson properties;
  for (const char* name : names) properties[name] = schema_of("string");
  return properties;
}

std::vector<std::string> keys_of(const OrderedJson& properties) {
  std::vector<std::string> keys;
  for (const auto& property : properties.items()) keys.push_back(property.key());
  return keys;
}

OrderedJson whole_object(const OrderedJson& properties) {
  return schema_object(properties, keys_of(properties));
}

OrderedJson record_schemas() {
  OrderedJson option = text_fields({"name", "type", "default", "help"});
  OrderedJson option_schema = whole_object(option);
  option_schema["properties"]["least"] = option_schema["properties"]["most"] = schema_of("number");
  OrderedJson method = text_fields({"name", "question", "summary", "formula", "paper", "cost", "limits"});
  method["options"] = schema_list(schema_ref("Option"));
  method["claims"] = method["aliases"] = schema_list(schema_of("string"));
  method["needs_target"] = method["aggregates"] = schema_of("boolean");
  OrderedJson metric = text_fields({"name", "summary", "formula", "paper", "better", "needs", "curve_over"});
  metric["options"] = schema_list(schema_ref("Option"));
  const auto listed = [](const char* name) {
    return whole_object({{"data", schema_list(schema_ref(name))}});
  };
  return {{"Option", option_schema},
          {"MethodRecord", whole_object(method)},
          {"EvaluationRecord", whole_object(metric)},
          {"Methods", listed("MethodRecord")},
          {"Evaluations", listed("EvaluationRecord")}};
}

OrderedJson model_schemas() {
  OrderedJson example =
      text_fields({"title", "text", "pair", "image", "prefix", "target", "contrast", "tab"});
  example["methods"] = schema_list(schema_of("string"));
  OrderedJson model{{"id", schema_of("string")},
                    {"object", enumeration({"model"})},
                    {"loaded", schema_of("boolean", "the other fields are there when it is")},
                    {"input", enumeration({"text", "image", "text-to-text"})},
                    {"mask", nullable(schema_of("string", "the token that stands for an unknown word"))},
                    {"default_methods", schema_list(schema_of("string"))},
                    {"examples", schema_list(schema_object(example, {"title"}))}};
  model.update(text_fields({"family", "model_type", "architecture", "task", "dtype"}));
  for (const char* name : {"layers", "heads", "groups", "head_width", "width", "feed_forward", "vocabulary",
                           "positions", "image_size", "patch_size", "prefix_tokens", "parameters"})
    model[name] = schema_of("integer");
  for (const char* name : {"causal", "pre_norm"}) model[name] = schema_of("boolean");
  model["labels"] = schema_list(schema_of("string"));
  model["stacks"] = schema_list(schema_of("object"));
  return {{"Model", schema_object(model, {"id", "object", "loaded"})},
          {"Models",
           whole_object({{"object", enumeration({"list"})}, {"data", schema_list(schema_ref("Model"))}})}};
}

OrderedJson answers_of_models() {
  OrderedJson token = text_fields({"piece", "text"});
  for (const char* name : {"id", "begin", "end", "word", "sequence"}) token[name] = schema_of("integer");
  token["special"] = schema_of("boolean");
  const OrderedJson score{{"label", schema_of("string")},
                          {"index", schema_of("integer")},
                          {"probability", schema_of("number")},
                          {"logit", schema_of("number")}};
  const OrderedJson outcome{{"position", schema_of("integer")}, {"scores", schema_list(schema_ref("Score"))}};
  const OrderedJson planned{
      {"method", schema_of("string")},
      {"bytes", schema_of("integer", "beyond the weights: an upper estimate")},
      {"seconds", nullable(schema_of("number", "an estimate; null before it ran once"))}};
  return {
      {"Token", whole_object(token)},
      {"Tokens", whole_object({{"tokens", schema_list(schema_ref("Token"))}})},
      {"Score", whole_object(score)},
      {"Outcome", whole_object(outcome)},
      {"Prediction", schema_object({{"task", schema_of("string")},
                                    {"label", schema_of("string")},
                                    {"probability", schema_of("number")},
                                    {"scores", schema_list(schema_ref("Score"))},
                                    {"logits", schema_list(schema_of("number"))},
                                    {"outcomes", schema_list(schema_ref("Outcome"))},
                                    {"answer", schema_of("object")},
                                    {"tokens", schema_list(schema_ref("Token"))}},
                                   {"task"})},
      {"Plan", whole_object({{"data", schema_list(whole_object(planned))}})},
      {"Explanation", schema_of("object", "headwater.report/1, or of several targets a list of it, reports")},
      {"Tree", schema_of("object", "headwater.tree/1")},
      {"Evaluation", schema_of("object", "the table of methods and metrics")}};
}

OrderedJson answers_of_jobs() {
  const OrderedJson error{
      {"code", schema_of("integer")}, {"message", schema_of("string")}, {"type", schema_of("string")}};
  const OrderedJson progress{{"method", schema_of("string")}, {"done", schema_of("number", "from 0 to 1")}};
  return {
      {"Health", whole_object({{"status", enumeration({"ok"})}})},
      {"Error", whole_object({{"error", whole_object(error)}})},
      {"Job", schema_object({{"id", schema_of("string")},
                             {"status", enumeration({"queued", "running", "done", "failed", "cancelled"})},
                             {"queue", schema_of("integer", "jobs that come first, while it waits")},
                             {"progress", whole_object(progress)},
                             {"error", whole_object(error)}},
                            {"id", "status", "queue"})}};
}

}  // namespace

OrderedJson openapi_schemas() {
  OrderedJson all = bodies();
  for (const OrderedJson& some : {record_schemas(), model_schemas(), answers_of_models(), answers_of_jobs()})
    all.update(some);
  return all;
}

}  // namespace headwater
