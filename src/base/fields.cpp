#include "base/fields.h"

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/utf8.h"

namespace headwater {

std::string FieldPath::str() const {
  const std::string before = outer == nullptr ? "" : outer->str();
  if (outer == nullptr) return std::string(key);
  if (key.empty()) return fmt::format("{}[{}]", before, index);
  return before.empty() ? printable(key) : before + "." + printable(key);
}

void unexpected(const FieldPath& path, std::string_view expected, std::string_view found) {
  const std::string where = path.str();
  throw FormatError(
      fmt::format("{}{}expected {}, found {}", where, where.empty() ? "" : ": ", expected, found));
}

void of_another_kind(const FieldPath& path, std::string_view expected, const Json& found) {
  const bool number_wanted = expected.find("number") != std::string_view::npos;
  unexpected(path, expected,
             found.is_number() && number_wanted ? printed(found)
             : found.is_number()                ? "a number"
             : found.is_string()                ? "a text"
             : found.is_boolean()               ? "true or false"
             : found.is_object()                ? "an object"
             : found.is_array()                 ? fmt::format("a list of {}", found.size())
                                                : "null");
}

FieldReader::FieldReader(const Json& json, const FieldPath& path) : json_(json), path_(path) {
  if (!json.is_object()) of_another_kind(path, "an object", json);
}

const Json* FieldReader::find(const char* key) const {
  const auto found = json_.find(key);
  return found == json_.end() ? nullptr : &*found;
}

}  // namespace headwater
