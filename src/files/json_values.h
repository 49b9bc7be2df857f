// Reads values from the JSON of results.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <headwater/error.h>
#include <headwater/report.h>

#include "base/json.h"
#include "base/utf8.h"

namespace headwater {

double number_in_json(const Json& json);  // null is NaN
std::vector<double> numbers_in_json(const Json& json);
std::vector<std::pair<std::string, std::string>> pairs_in_json(const Json& json);
// Reads nested lists. Throws FormatError if the lists of one level differ in length.
Tensor tensor_in_json(const Json& json, DType dtype);
std::vector<Check> checks_in_json(const Json& json);
RunRecord record_in_json(const Json& json);

// null counts as missing.
template <class T>
T value_in_json(const Json& json, const char* key, T otherwise = {}) {
  return json.contains(key) && !json.at(key).is_null() ? json.at(key).get<T>() : otherwise;
}

// Reads a file of this schema (empty: one without a schema). The library reports what is missing or has
// another type; this function reports which file it was.
template <class F>
auto read_as(const Json& json, const std::string& where, const std::string& schema, const F& read) {
  if (!schema.empty() && (!json.is_object() || !json.contains("schema") || json.at("schema") != schema))
    throw FormatError(fmt::format("{}: expected \"schema\": \"{}\", found another file", where, schema));
  try {
    return read();
  } catch (const Json::exception& error) {
    throw FormatError(fmt::format("{}: expected a result as headwater writes it, found something else: {}",
                                  where, printable(error.what())));
  } catch (const Error& error) {  // of a name in it that means nothing here, too
    throw FormatError(fmt::format("{}: {}", where, error.what()));
  }
}

}  // namespace headwater
