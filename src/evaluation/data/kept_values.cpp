// {"line":1,"values":[[{"value":0.5,"curve":[…]},…],…]}: metrics, then methods; null for what is no number.
// Or {"line":1,"left_out":"why"}.
#include "evaluation/data/kept_values.h"

#include <limits>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/json.h"
#include "corpus/kept_results.h"
#include "evaluation/data/evaluation_reader.h"

namespace headwater {

namespace {

double number_back(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

std::vector<double> list_back(const Json& json, const char* key) {
  std::vector<double> values;
  if (json.contains(key))
    for (const Json& value : json[key]) values.push_back(number_back(value));
  return values;
}

}  // namespace

std::string values_line(const ExampleValues& values) {
  OrderedJson json = OrderedJson::object();
  if (!values.left_out.empty()) {
    json["left_out"] = values.left_out;
  } else {
    json["values"] = OrderedJson::array();
    for (const auto& methods : values.values) {
      OrderedJson row = OrderedJson::array();
      for (const EvaluationValue& one : methods) {
        row.push_back({{"value", one.value}});
        if (!one.curve.empty()) row.back()["curve"] = one.curve;
        if (!one.parts.empty()) row.back()["parts"] = one.parts;
      }
      json["values"].push_back(std::move(row));
    }
  }
  return numbered(values.example + 1, json.dump()) + "\n";
}

std::vector<ExampleValues> read_values(const std::string& path, const Shard& shard) {
  std::vector<ExampleValues> all;
  each_json_line(path, [&](const Json& json, const std::string& where) {
    try {
      ExampleValues values{.example = json.at("line").get<std::size_t>() - 1};
      if (const std::size_t next = shard.number(all.size()); values.example != next)
        throw FormatError(fmt::format("{}: expected the values of example {}, found those of {}", where,
                                      next + 1, values.example + 1));
      if (json.contains("left_out")) {
        values.left_out = json["left_out"].get<std::string>();
      } else {
        for (const Json& methods : json.at("values")) {
          values.values.emplace_back();
          for (const Json& one : methods)
            values.values.back().push_back({.value = number_back(one.at("value")),
                                            .curve = list_back(one, "curve"),
                                            .parts = list_back(one, "parts")});
        }
      }
      all.push_back(std::move(values));
    } catch (const Json::exception& error) {
      throw FormatError(fmt::format(
          "{}: expected values of an evaluation, found something else ({}); remove the file to start again",
          where, error.what()));
    }
    return true;
  });
  return all;
}

}  // namespace headwater
