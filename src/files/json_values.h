// Arrays in the JSON of results, and whole files of them.
#pragma once

#include <string>

#include <fmt/format.h>
#include <headwater/error.h>
#include <headwater/tensor.h>

#include "base/fields.h"

namespace headwater {

// Nested lists; null: no tensor. Throws FormatError if the lists of one level differ in length.
void read_value(const Json& json, const FieldPath& path, Tensor& tensor);
void write_value(OrderedJson& json, const Tensor& tensor);

// Reads a file of this schema (empty: one without a schema); errors name the file.
template <class F>
auto read_as(const Json& json, const std::string& where, const std::string& schema, const F& read) {
  if (!schema.empty() && (!json.is_object() || !json.contains("schema") || json.at("schema") != schema))
    throw FormatError(fmt::format("{}: expected \"schema\": \"{}\", found another file", where, schema));
  try {
    return read();
  } catch (const Error& error) {  // of a name in it that means nothing here, too
    throw FormatError(fmt::format("{}: {}", where, error.what()));
  }
}

}  // namespace headwater
