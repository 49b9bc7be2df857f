// Addresses, bodies and answers are data (openapi.json, embedded); what a method or a metric takes is as its
// record says.
#include "server/openapi.h"

#include <cmath>

#include <fmt/format.h>
#include <headwater/engine.h>
#include <headwater/records.h>

#include "base/json.h"
#include "explain/aggregate.h"
#include "page/assets.h"

namespace headwater {

namespace {

// A body takes what it names and nothing else.
Json closed_object(Json properties) {
  return {{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

Json text_among(std::vector<std::string> values) {
  return {{"type", "string"}, {"enum", std::move(values)}};
}

// Where a word is its default, a number takes texts too.
Json schema_of(const OptionRecord& option) {
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
  for (const OptionRecord& option : record.options) options[option.name] = schema_of(option);
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
  return choices;
}

Json method_choices() {
  const std::vector<MethodRecord> records = method_records();
  Json choices = choices_of(records);
  for (std::size_t m = 0; m < records.size(); ++m) {
    if (!records[m].aggregates) continue;
    Json& aggregate = choices[m + 1]["properties"]["aggregate"];
    aggregate = text_among({aggregates.begin(), aggregates.end()});
    aggregate["description"] = "combines its maps across layers";
  }
  return choices;
}

}  // namespace

std::string openapi_text() {
  static const std::string text = [] {
    Json document = parse_json(page_asset("openapi.json"), "openapi.json");
    document["info"]["version"] = version();
    Json& schemas = document["components"]["schemas"];
    schemas["Method"]["anyOf"] = method_choices();
    schemas["Metric"]["anyOf"] = choices_of(evaluation_records());
    return document.dump(1) + "\n";
  }();
  return text;
}

}  // namespace headwater
