#include "text/json_view.h"

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/json.h"
#include "base/utf8.h"

namespace headwater {
namespace {

std::string join(const std::string& where, const std::string& key) {
  // The file name ends the first part; keys below it are joined by dots.
  return where.find(": ") == std::string::npos ? where + ": " + key : where + "." + key;
}

std::string excerpt(const Json& json) {
  if (json.is_object()) return fmt::format("an object of {}", json.size());
  if (json.is_array()) return fmt::format("an array of {}", json.size());
  std::string text = json.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

}  // namespace

void JsonView::fail(const std::string& expected) const {
  throw FormatError(fmt::format("{}: expected {}, found {}", where_, expected, excerpt(*json_)));
}

const Json& JsonView::object() const {
  if (!json_->is_object()) fail("an object");
  return *json_;
}

JsonView JsonView::at(const std::string& key) const {
  const auto found = object().find(key);
  if (found == json_->end())
    throw FormatError(fmt::format("{}: expected the key, found none", join(where_, key)));
  return {*found, join(where_, key)};
}

std::optional<JsonView> JsonView::find(const std::string& key) const {
  const auto found = object().find(key);
  if (found == json_->end() || found->is_null()) return std::nullopt;
  return JsonView(*found, join(where_, key));
}

std::vector<JsonView> JsonView::elements() const {
  if (!json_->is_array()) fail("an array");
  std::vector<JsonView> views;
  views.reserve(json_->size());
  for (std::size_t i = 0; i < json_->size(); ++i)
    views.emplace_back((*json_)[i], fmt::format("{}[{}]", where_, i));
  return views;
}

std::string JsonView::string() const {
  if (!json_->is_string()) fail("a string");
  return json_->get<std::string>();
}

char32_t JsonView::character() const {
  const std::string text = string();
  std::size_t at = 0;
  if (!text.empty()) {
    const char32_t c = next_code_point(text, at);
    if (at == text.size()) return c;
  }
  fail("a string of one character");
}

bool JsonView::boolean() const {
  if (!json_->is_boolean()) fail("true or false");
  return json_->get<bool>();
}

std::int64_t JsonView::integer(std::int64_t least, std::int64_t most) const {
  const std::string expected = fmt::format("an integer from {} to {}", least, most);
  if (!json_->is_number_integer()) fail(expected);
  if (json_->is_number_unsigned() && json_->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
    fail(expected);
  const auto value = json_->get<std::int64_t>();
  if (value < least || value > most) fail(expected);
  return value;
}

int JsonView::id() const {
  return static_cast<int>(integer(0, INT32_MAX - 1));
}

double JsonView::number() const {
  if (!json_->is_number()) fail("a number");
  return json_->get<double>();
}

bool JsonView::boolean_or(const std::string& key, bool otherwise) const {
  const auto found = find(key);
  return found ? found->boolean() : otherwise;
}

std::string JsonView::string_or(const std::string& key, const std::string& otherwise) const {
  const auto found = find(key);
  return found ? found->string() : otherwise;
}

}  // namespace headwater
