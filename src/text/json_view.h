// A place inside a JSON file: the value and its path, so that every complaint names file and key.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"

namespace headwater {

class JsonView {
 public:
  JsonView(const Json& json, std::string where) : json_(&json), where_(std::move(where)) {}

  const Json& json() const { return *json_; }
  const std::string& where() const { return where_; }  // "tokenizer.json: model.vocab"

  JsonView at(const std::string& key) const;                   // throws FormatError if missing
  std::optional<JsonView> find(const std::string& key) const;  // nothing if missing or null
  std::vector<JsonView> elements() const;                      // of an array

  // Throw FormatError if the value is of another type or out of range.
  const Json& object() const;
  std::string string() const;
  char32_t character() const;  // a string of exactly one code point
  bool boolean() const;
  std::int64_t integer(std::int64_t least, std::int64_t most) const;
  int id() const;  // a token id: 0 … 2^31 − 2
  double number() const;

  bool boolean_or(const std::string& key, bool otherwise) const;  // of a missing or null key
  std::string string_or(const std::string& key, const std::string& otherwise) const;

  [[noreturn]] void fail(const std::string& expected) const;  // FormatError "where: expected …, found …"

 private:
  const Json* json_;
  std::string where_;
};

}  // namespace headwater
