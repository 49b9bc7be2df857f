// Bodies and answers are as the lists of their fields say; what a method or a metric takes is as its record says.
#include "server/openapi.h"

#include <cmath>
#include <initializer_list>

#include <fmt/format.h>
#include <headwater/engine.h>

#include "explain/aggregate.h"
#include "files/record_fields.h"
#include "files/result_fields.h"
#include "server/answer_fields.h"
#include "server/body_fields.h"
#include "server/field_schema.h"
#include "server/negotiation.h"

namespace headwater {

template <>
inline constexpr const char* api_name<Unit> = "Token";
template <>
inline constexpr const char* api_name<Score> = "Score";
template <>
inline constexpr const char* api_name<Outcome> = "Outcome";
template <>
inline constexpr const char* api_name<Check> = "Check";
template <>
inline constexpr const char* api_name<RunRecord> = "RunRecord";
template <>
inline constexpr const char* api_name<Prediction> = "Prediction";
template <>
inline constexpr const char* api_name<Attribution> = "Attribution";
template <>
inline constexpr const char* api_name<Agreement> = "Agreement";
template <>
inline constexpr const char* api_name<Target> = "Target";
template <>
inline constexpr const char* api_name<Traits> = "Traits";
template <>
inline constexpr const char* api_name<ModelInfo> = "ModelInfo";
template <>
inline constexpr const char* api_name<HeadImportance> = "HeadRanking";
template <>
inline constexpr const char* api_name<PruningCurve> = "PruningCurve";
template <>
inline constexpr const char* api_name<Trigger> = "Trigger";
template <>
inline constexpr const char* api_name<TriggerToken> = "TriggerToken";
template <>
inline constexpr const char* api_name<EvaluationMetric> = "EvaluationMetric";
template <>
inline constexpr const char* api_name<EvaluationCell> = "EvaluationCell";
template <>
inline constexpr const char* api_name<EvaluationPair> = "EvaluationPair";
template <>
inline constexpr const char* api_name<IdentifyCell> = "IdentificationCell";
template <>
inline constexpr const char* api_name<TokenRate> = "TokenRate";
template <>
inline constexpr const char* api_name<TestedProperty> = "TestedProperty";
template <>
inline constexpr const char* api_name<TreeEdge> = "TreeEdge";
template <>
inline constexpr const char* api_name<OptionRecord> = "Option";
template <>
inline constexpr const char* api_name<MethodRecord> = "MethodRecord";
template <>
inline constexpr const char* api_name<EvaluationRecord> = "EvaluationRecord";
template <>
inline constexpr const char* api_name<ListedModel> = "Model";
template <>
inline constexpr const char* api_name<TargetSpec> = "TargetChoice";

namespace {

Json reference_to(std::string_view name) {
  return {{"$ref", fmt::format("#/components/schemas/{}", name)}};
}

Json text_among(std::vector<std::string> values) {
  return {{"type", "string"}, {"enum", std::move(values)}};
}

}  // namespace

// Types whose schema their fields do not say.
Json schema_of(const LabelText*) {
  return {{"anyOf", Json::array({{{"type", "string"}}, {{"type", "integer"}}})}};
}
Json schema_of(const MethodSpec*) {
  return reference_to("Method");
}
Json schema_of(const MetricSpec*) {
  return reference_to("Metric");
}
Json schema_of(const Axis*) {
  return {{"anyOf", Json::array({{{"type", "string"}}, {{"type", "object"}}})}};
}
Json schema_of(const Tensor*) {
  return {{"type", "array"}, {"items", Json::object()}};
}

namespace {

// A body takes what it names and nothing else.
Json closed_object(Json properties) {
  return {{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

// Where a word is its default, a number takes texts too.
Json schema_of_option(const OptionRecord& option) {
  Json schema{{"type", option.type}};
  if (option.type == "number" || option.type == "integer") {
    if (std::isfinite(option.least)) schema["minimum"] = option.least;
    if (std::isfinite(option.most)) schema["maximum"] = option.most;
    schema = Json{{"anyOf", Json::array({schema, {{"type", "string"}}})}};
  } else if (option.type.find('|') != std::string::npos) {
    std::vector<std::string> values(1);
    for (const char c : option.type) c == '|' ? values.emplace_back() : values.back() += c;
    schema = text_among(std::move(values));
  } else {
    schema["type"] = "string";
  }
  schema["description"] =
      fmt::format("{} (default {})", option.help, option.otherwise.empty() ? "none" : option.otherwise);
  return schema;
}

template <class Record>
Json schema_of_record(const Record& record) {
  Json options = Json::object();
  for (const OptionRecord& option : record.options) options[option.name] = schema_of_option(option);
  Json name = text_among({record.name});
  name["description"] = record.summary;
  Json schema = closed_object({{"name", std::move(name)}, {"options", closed_object(std::move(options))}});
  schema["required"] = Json::array({"name"});
  return schema;
}

// A name alone, or an object that gives options; one schema for each record.
template <class Record>
Json choices_of(const std::vector<Record>& records) {
  std::vector<std::string> names;
  for (const Record& record : records) names.push_back(record.name);
  Json choices = Json::array({text_among(std::move(names))});
  for (const Record& record : records) choices.push_back(schema_of_record(record));
  return {{"anyOf", std::move(choices)}};
}

Json method_choices() {
  const std::vector<MethodRecord> records = method_records();
  Json choices = choices_of(records);
  for (std::size_t m = 0; m < records.size(); ++m) {
    if (!records[m].aggregates) continue;
    Json& aggregate = choices["anyOf"][m + 1]["properties"]["aggregate"];
    aggregate = text_among({aggregates.begin(), aggregates.end()});
    aggregate["description"] = "combines its maps across layers";
  }
  return choices;
}

// A result with the record and the command of its run.
template <class T>
Json result_schema(Json& named) {
  FieldSchema v(named);
  const T result;
  describe(v, result);
  v("record", RunRecord());
  v("command", std::string());
  return v.schema();
}

Json report_schema(Json& named) {
  FieldSchema v(named);
  const Report report;
  const std::string command;
  describe_report(v, report, command);
  return v.schema();
}

Json object_of(const char* key, Json schema) {
  return {{"type", "object"}, {"properties", {{key, std::move(schema)}}}, {"required", Json::array({key})}};
}

Json prediction_schema(Json& named) {
  FieldSchema v(named);
  const Prediction prediction;
  describe(v, prediction);
  v.maybe("tokens", std::vector<Unit>());
  return v.schema();
}

Json schemas() {
  Json named{{"Method", method_choices()}, {"Metric", choices_of(evaluation_records())}};
  const auto add = [&](const char* name, Json schema) { named[name] = std::move(schema); };
  const auto add_body = [&](const char* name, const auto& body) {
    FieldSchema v(named, true);
    describe(v, body);
    add(name, v.schema());
  };
  const auto add_answer = [&](const char* name, const auto& answer) {
    add(name, FieldSchema::of(answer, named));
  };
  add_body("TargetChoice", TargetSpec());
  add_body("InputBody", AskedInput());
  add_body("PredictBody", AskedPrediction());
  add_body("ExplainBody", AskedExplanation());
  add_body("TreeBody", AskedTree());
  add_body("EvaluateBody", AskedEvaluation());
  add_answer("Methods", DataOf<MethodRecord>());
  add_answer("Evaluations", DataOf<EvaluationRecord>());
  add_answer("Models", ListedModels());
  add_answer("Plan", ExplanationPlan());
  add_answer("Error", Failure());
  add_answer("Job", JobState());
  add("Health", object_of("status", text_among({"ok"})));
  add("Prediction", prediction_schema(named));
  add("Tokens", object_of("tokens", FieldSchema::of(std::vector<Unit>(), named)));
  add("Report", report_schema(named));
  named["Attribution"]["properties"]["sentence"] = {{"type", "string"}};  // made of the whole report
  add("Explanation",
      {{"anyOf",
        Json::array({reference_to("Report"),
                     object_of("reports", {{"type", "array"}, {"items", reference_to("Report")}})})}});
  add("Tree", result_schema<GrownTree>(named));
  add("Evaluation", result_schema<EvaluateReport>(named));
  // No address answers these; programs and the Python package read them from files.
  add("Heads", result_schema<HeadRankings>(named));
  add("Pruning", result_schema<PruningReport>(named));
  add("Triggers", result_schema<TriggerReport>(named));
  add("Identification", result_schema<IdentifyReport>(named));
  add("ModelTest", result_schema<ModelTest>(named));
  FieldSchema::of(ModelInfo(), named);
  return named;
}

const Json text_schema{{"type", "string"}}, binary_schema{{"type", "string"}, {"format", "binary"}};

Json answer_as(std::string_view description, std::initializer_list<std::pair<std::string_view, Json>> forms) {
  Json content = Json::object();
  for (const auto& [type, schema] : forms) content[std::string(type)] = {{"schema", schema}};
  return {{"description", description}, {"content", std::move(content)}};
}

Json answer_of(std::string_view description, std::string_view name) {
  return answer_as(description, {{json_type, reference_to(name)}});
}

Json explanation(const Json& json) {
  return answer_as("The explanation, in the format that Accept requests.", {{json_type, json},
                                                                            {page_type, binary_schema},
                                                                            {npz_type, binary_schema},
                                                                            {safetensors_type, binary_schema},
                                                                            {html_type, text_schema}});
}

constexpr auto errors_of_looking = {401, 403};
constexpr auto errors_of_jobs = {401, 403, 404};
constexpr auto errors_of_computing = {400, 401, 403, 404, 406, 409, 413, 415, 422, 429, 503};

Json operation(const char* id, const char* summary, Json answer, const std::initializer_list<int>& errors) {
  Json responses{{"200", std::move(answer)}};
  for (const int error : errors)
    responses[std::to_string(error)] = {{"$ref", "#/components/responses/Error"}};
  return {{"operationId", id}, {"summary", summary}, {"responses", std::move(responses)}};
}

Json look(const char* id, const char* summary, Json answer) {
  return {{"get", operation(id, summary, std::move(answer), errors_of_looking)}};
}

Json computing(const char* id, const char* summary, const char* body, Json answer) {
  Json made = operation(id, summary, std::move(answer), errors_of_computing);
  made["requestBody"] = {{"required", true}, {"content", {{json_type, {{"schema", reference_to(body)}}}}}};
  return {{"post", std::move(made)}};
}

// A job can be followed instead of awaited.
Json as_job(Json post) {
  post["post"]["responses"]["202"] = answer_of("The job, which runs in the background.", "Job");
  return post;
}

Json number_in_path(const char* name, const char* help) {
  return {{"name", name},
          {"in", "path"},
          {"required", true},
          {"description", help},
          {"schema", {{"type", "integer"}, {"minimum", 0}}}};
}

Json of_a_job(Json item, std::initializer_list<Json> more = {}) {
  item["parameters"] =
      Json::array({{{"name", "id"},
                    {"in", "path"},
                    {"required", true},
                    {"description", "id of a job, from a POST with async or the header Headwater-Job"},
                    {"schema", {{"type", "string"}, {"pattern", "^[0-9a-f]{32}$"}}}}});
  for (const Json& parameter : more) item["parameters"].push_back(parameter);
  return item;
}

Json paths() {
  Json all;
  all["/"] = look("page", "The page",
                  answer_as("HTML that sends requests only to this server.", {{html_type, text_schema}}));
  all["/openapi.json"] = look("openapi", "This document",
                              answer_as("The OpenAPI 3.0 document.", {{json_type, {{"type", "object"}}}}));
  all["/metrics"] = {
      {"get", operation("metrics", "Metrics in Prometheus' format, if the server was started with --metrics",
                        answer_as("Text format 0.0.4.", {{"text/plain", text_schema}}), errors_of_jobs)}};
  for (const bool versioned : {false, true})
    all[versioned ? "/v1/health" : "/health"] = {
        {"get", operation(versioned ? "health" : "health_unversioned", "Whether every model is loaded",
                          answer_of("Every model is loaded.", "Health"), {401, 403, 503})}};
  all["/v1/models"] = look("models", "The served models", answer_of("The models.", "Models"));
  all["/v1/methods"] =
      look("methods", "The methods' records", answer_of("The records of the methods.", "Methods"));
  all["/v1/evaluations"] =
      look("evaluations", "The metrics' records", answer_of("The records of the metrics.", "Evaluations"));
  all["/v1/tokenize"] =
      computing("tokenize", "The tokens of a text", "InputBody", answer_of("The tokens.", "Tokens"));
  all["/v1/predict"] = computing("predict", "The prediction of an input", "PredictBody",
                                 answer_of("The prediction.", "Prediction"));
  all["/v1/plan"] =
      computing("plan",
                "The memory and time of an explanation; a method that has not run yet is estimated by a "
                "short trial",
                "ExplainBody", answer_of("The plan of each method.", "Plan"));
  all["/v1/explain"] = as_job(computing("explain", "Explain where a prediction comes from", "ExplainBody",
                                        explanation(reference_to("Explanation"))));
  all["/v1/tree"] =
      as_job(computing("tree", "An attribution tree", "TreeBody", answer_of("The tree.", "Tree")));
  all["/v1/evaluate"] = as_job(computing("evaluate", "Evaluate methods over examples", "EvaluateBody",
                                         answer_of("The table.", "Evaluation")));
  const Json state = answer_of("The progress of the job.", "Job");
  all["/v1/jobs/{id}"] = of_a_job(
      {{"get", operation("job", "The progress of a job", state, errors_of_jobs)},
       {"delete", operation("cancel", "Cancel a job; a finished one is removed", state, errors_of_jobs)}});
  all["/v1/jobs/{id}/events"] = of_a_job(
      {{"get",
        operation(
            "events",
            "Server-sent events of a job: progress, layers (the result now holds some layers of the running "
            "method; it is marked unfinished, and its missing layers are null or NaN), attribution, then "
            "done, failed or cancelled",
            answer_as("The events until the job ends.", {{"text/event-stream", Json::object()}}),
            {401, 403, 404, 503})}});
  const Json any{{"anyOf", Json::array({reference_to("Explanation"), reference_to("Tree"),
                                        reference_to("Evaluation")})}};
  Json result = operation("result", "The result of a job; while it runs, the finished part", explanation(any),
                          {400, 401, 403, 404, 406, 409, 422, 503});
  result["responses"]["202"] = state;
  all["/v1/jobs/{id}/result"] = of_a_job({{"get", std::move(result)}});
  all["/v1/jobs/{id}/scores/{index}/{layer}"] = of_a_job(
      {{"get", operation("scores", "The cells of one layer of a large map",
                         answer_as("float32, little endian: [head,] query, key.",
                                   {{"application/octet-stream", binary_schema}}),
                         errors_of_jobs)}},
      {number_in_path("index", "number of the attribution, counted over all targets, as in by_layer"),
       number_in_path("layer", "layer of its map")});
  return all;
}

}  // namespace

std::string openapi_text() {
  static const std::string text = [] {
    const Json document{
        {"openapi", "3.0.3"},
        {"info",
         {{"title", "Headwater"},
          {"version", version()},
          {"description",
           "Shows where a Transformer's prediction comes from. User text goes into bodies alone; models "
           "are known by their served names; pictures are PNG or JPEG in base64."}}},
        {"servers", Json::array({{{"url", "/"}}})},
        {"security", Json::array({Json::object(), {{"key", Json::array()}}, {{"bearer", Json::array()}}})},
        {"paths", paths()},
        {"components",
         {{"responses", {{"Error", answer_of("The error.", "Error")}}},
          {"schemas", schemas()},
          {"securitySchemes",
           {{"key", {{"type", "apiKey"}, {"in", "header"}, {"name", "X-API-Key"}}},
            {"bearer", {{"type", "http"}, {"scheme", "bearer"}}}}}}}};
    return document.dump(1) + "\n";
  }();
  return text;
}

}  // namespace headwater
