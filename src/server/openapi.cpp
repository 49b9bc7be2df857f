// Addresses, their bodies and answers. What the schemas are is in openapi_schemas.cpp.
#include "server/openapi.h"

#include <fmt/format.h>
#include <headwater/engine.h>

#include "report/schema.h"
#include "server/negotiation.h"

namespace headwater {

namespace {

OrderedJson content(std::string_view type, OrderedJson schema) {
  return {{std::string(type), {{"schema", std::move(schema)}}}};
}

OrderedJson json_answer(const char* description, OrderedJson schema) {
  return {{"description", description}, {"content", content(json_type, std::move(schema))}};
}

OrderedJson bytes_schema() {
  return {{"type", "string"}, {"format", "binary"}};
}

// An explanation in every form it has.
OrderedJson explanation_answer() {
  OrderedJson all = content(json_type, schema_ref("Explanation"));
  for (const auto type : {page_type, npz_type, safetensors_type}) all.update(content(type, bytes_schema()));
  all.update(content(html_type, schema_of("string")));
  return {{"description", "The explanation, in the form that Accept asks for."}, {"content", all}};
}

// Which errors an address may answer with, besides those that any may.
OrderedJson answers(OrderedJson good, const std::vector<int>& errors) {
  OrderedJson all = std::move(good);
  std::vector<int> codes = errors;
  codes.insert(codes.end(), {401, 403});
  std::sort(codes.begin(), codes.end());
  for (const int code : codes) all[std::to_string(code)] = {{"$ref", "#/components/responses/Error"}};
  return all;
}

OrderedJson get(const char* id, const char* summary, OrderedJson good, const std::vector<int>& errors = {}) {
  return {{"operationId", id}, {"summary", summary}, {"responses", answers(std::move(good), errors)}};
}

OrderedJson post(const char* id, const char* summary, const char* body, OrderedJson good) {
  return {{"operationId", id},
          {"summary", summary},
          {"requestBody", {{"required", true}, {"content", content(json_type, schema_ref(body))}}},
          {"responses", answers(std::move(good), {400, 404, 406, 409, 413, 415, 422, 429, 503})}};
}

OrderedJson parameter(const char* name, OrderedJson schema, const char* description) {
  return {{"name", name},
          {"in", "path"},
          {"required", true},
          {"description", description},
          {"schema", std::move(schema)}};
}

OrderedJson job_id() {
  OrderedJson schema = schema_of("string");
  schema["pattern"] = "^[0-9a-f]{32}$";
  return parameter("id", std::move(schema),
                   "of a job, as POST with async or the header Headwater-Job gave it");
}

OrderedJson job_paths() {
  const OrderedJson state = json_answer("How far the job is.", schema_ref("Job"));
  OrderedJson paths;
  OrderedJson& job = paths["/v1/jobs/{id}"];
  job["parameters"] = OrderedJson::array({job_id()});
  job["get"] = get("job", "How far a job is", {{"200", state}}, {404});
  job["delete"] = get("cancel", "Cancels a job; a finished one is forgotten", {{"200", state}}, {404});
  OrderedJson& events = paths["/v1/jobs/{id}/events"];
  events["parameters"] = OrderedJson::array({job_id()});
  events["get"] =
      get("events", "Server-sent events of a job: progress, attribution, then done, failed or cancelled",
          {{"200",
            {{"description", "Events until the job is over."},
             {"content", content("text/event-stream", OrderedJson::object())}}}},
          {404, 503});
  OrderedJson& result = paths["/v1/jobs/{id}/result"];
  result["parameters"] = OrderedJson::array({job_id()});
  OrderedJson found = explanation_answer();
  found["content"][std::string(json_type)]["schema"] = {
      {"anyOf", {schema_ref("Explanation"), schema_ref("Tree"), schema_ref("Evaluation")}}};
  result["get"] = get("result", "What a job gave; while it runs, what is finished",
                      {{"200", found}, {"202", state}}, {400, 404, 406, 409, 422, 503});
  OrderedJson& scores = paths["/v1/jobs/{id}/scores/{index}/{layer}"];
  OrderedJson number = schema_of("integer");
  number["minimum"] = 0;
  scores["parameters"] = OrderedJson::array(
      {job_id(), parameter("index", number, "of the attribution, counted over all targets: as by_layer says"),
       parameter("layer", number, "of its map")});
  scores["get"] = get("scores", "The cells of one layer of a large map",
                      {{"200",
                        {{"description", "float32, little endian: [head,] query, key."},
                         {"content", content("application/octet-stream", bytes_schema())}}}},
                      {404});
  return paths;
}

OrderedJson look_paths() {
  OrderedJson paths;
  const auto page = [](std::string_view type, const char* description) -> OrderedJson {
    return {{"200", {{"description", description}, {"content", content(type, schema_of("string"))}}}};
  };
  paths["/"]["get"] = get("page", "The page", page(html_type, "HTML that asks this server alone."));
  paths["/openapi.json"]["get"] =
      get("openapi", "This document", {{"200", json_answer("OpenAPI 3.0.", schema_of("object"))}});
  paths["/metrics"]["get"] = get("metrics", "Figures in Prometheus' form, of a server started with --metrics",
                                 page("text/plain", "Text form 0.0.4."), {404});
  for (const char* path : {"/health", "/v1/health"})
    paths[path]["get"] =
        get(path[1] == 'v' ? "health" : "health_unversioned", "Whether every model is loaded",
            {{"200", json_answer("They are.", schema_ref("Health"))}}, {503});
  paths["/v1/models"]["get"] =
      get("models", "The models that are served", {{"200", json_answer("Them.", schema_ref("Models"))}});
  paths["/v1/methods"]["get"] =
      get("methods", "The methods' records", {{"200", json_answer("Them.", schema_ref("Methods"))}});
  paths["/v1/evaluations"]["get"] =
      get("evaluations", "The metrics' records", {{"200", json_answer("Them.", schema_ref("Evaluations"))}});
  return paths;
}

OrderedJson all_paths() {
  OrderedJson paths = look_paths();
  const OrderedJson accepted = json_answer("The job, which runs in the background.", schema_ref("Job"));
  paths["/v1/tokenize"]["post"] = post("tokenize", "The tokens of a text", "InputBody",
                                       {{"200", json_answer("Them.", schema_ref("Tokens"))}});
  paths["/v1/predict"]["post"] = post("predict", "The prediction of an input", "PredictBody",
                                      {{"200", json_answer("It.", schema_ref("Prediction"))}});
  paths["/v1/plan"]["post"] = post("plan", "What an explanation would take", "ExplainBody",
                                   {{"200", json_answer("For each method.", schema_ref("Plan"))}});
  paths["/v1/explain"]["post"] = post("explain", "Where a prediction comes from", "ExplainBody",
                                      {{"200", explanation_answer()}, {"202", accepted}});
  paths["/v1/tree"]["post"] = post("tree", "An attribution tree", "TreeBody",
                                   {{"200", json_answer("It.", schema_ref("Tree"))}, {"202", accepted}});
  paths["/v1/evaluate"]["post"] =
      post("evaluate", "How far explanations can be trusted, over examples", "EvaluateBody",
           {{"200", json_answer("The table.", schema_ref("Evaluation"))}, {"202", accepted}});
  paths.update(job_paths());
  return paths;
}

}  // namespace

std::string openapi_text() {
  static const std::string text = [] {
    const OrderedJson key{{"type", "apiKey"}, {"in", "header"}, {"name", "X-API-Key"}};
    const OrderedJson bearer{{"type", "http"}, {"scheme", "bearer"}};
    OrderedJson document{
        {"openapi", "3.0.3"},
        {"info",
         {{"title", "Headwater"},
          {"version", version()},
          {"description",
           "Shows where a Transformer's prediction comes from. User text goes into bodies alone; models are "
           "known by their served names; pictures are PNG or JPEG in base64."}}},
        {"servers", OrderedJson::array({{{"url", "/"}}})},
        {"security",
         OrderedJson::array(
             {OrderedJson::object(), {{"key", OrderedJson::array()}}, {{"bearer", OrderedJson::array()}}})},
        {"paths", all_paths()},
        {"components",
         {{"securitySchemes", {{"key", key}, {"bearer", bearer}}},
          {"responses", {{"Error", json_answer("Why not.", schema_ref("Error"))}}},
          {"schemas", openapi_schemas()}}}};
    return dump(document, 1) + "\n";
  }();
  return text;
}

}  // namespace headwater
