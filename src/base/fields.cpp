#include "base/fields.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <headwater/error.h>

#include "base/utf8.h"

namespace headwater {

std::string FieldPath::str() const {
  if (outer == nullptr) return std::string(key);
  const std::string before = outer->outer == nullptr ? "" : outer->str();
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
  const FieldPath* root = &path;
  while (root->outer != nullptr) root = root->outer;
  closed_ = root->closed;
  if (!json.is_object()) of_another_kind(path, "an object", json);
}

const Json* FieldReader::find(const char* key) const {
  if (closed_) asked_.insert(key);
  const auto found = json_.find(key);
  return found == json_.end() ? nullptr : &*found;
}

void FieldReader::finish() const {
  if (!closed_) return;
  for (const auto& field : json_.items())
    if (!asked_.contains(field.key()))
      unexpected(path_, fmt::format("the fields {}", fmt::join(asked_, ", ")), "another");
}

bool FieldReader::is_among(const std::string& text, const About& about) {
  return about.choices.empty() ||
         std::find(about.choices.begin(), about.choices.end(), text) != about.choices.end();
}

void FieldReader::refuse_more(const FieldPath& path, const Json& json, const About& about) {
  if (static_cast<double>(json.size()) > about.most)
    unexpected(path, fmt::format("at most {} entries", about.most), std::to_string(json.size()));
}

std::string FieldReader::bounded(const char* kind, const About& about) {
  if (std::isinf(about.least) && std::isinf(about.most)) return kind;
  return fmt::format("{} from {} to {}", kind, about.least, about.most);
}

std::string FieldReader::joined(const std::vector<std::string_view>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace headwater
