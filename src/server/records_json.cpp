#include "server/records_json.h"

#include <cmath>

#include <headwater/records.h>

#include "files/schema.h"

namespace headwater {

namespace {

OrderedJson json_of_option(const OptionRecord& option) {
  OrderedJson json{
      {"name", option.name}, {"type", option.type}, {"default", option.otherwise}, {"help", option.help}};
  if (std::isfinite(option.least)) json["least"] = option.least;
  if (std::isfinite(option.most)) json["most"] = option.most;
  return json;
}

}  // namespace

OrderedJson methods_json_of_records() {
  return {{"data", list_of(method_records(), [](const MethodRecord& method) -> OrderedJson {
             return {{"name", method.name},
                     {"title", method.title},
                     {"question", method.question},
                     {"summary", method.summary},
                     {"formula", method.formula},
                     {"paper", method.paper},
                     {"cost", method.cost},
                     {"limits", method.limits},
                     {"options", list_of(method.options, json_of_option)},
                     {"claims", method.claims},
                     {"aliases", method.aliases},
                     {"needs_target", method.needs_target},
                     {"role", method.role},
                     {"aggregates", method.aggregates}};
           })}};
}

OrderedJson evaluations_json_of_records() {
  return {{"data", list_of(evaluation_records(), [](const EvaluationRecord& metric) -> OrderedJson {
             return {{"name", metric.name},
                     {"summary", metric.summary},
                     {"formula", metric.formula},
                     {"paper", metric.paper},
                     {"better", metric.better},
                     {"needs", metric.needs},
                     {"curve_over", metric.curve_over},
                     {"options", list_of(metric.options, json_of_option)}};
           })}};
}

}  // namespace headwater
