#include "base/json.h"

#include <limits>
#include <vector>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/files.h"
#include "base/utf8.h"

HEADWATER_JSON_PARTS(, nlohmann::json)
HEADWATER_JSON_PARTS(, nlohmann::ordered_json)

namespace headwater {
namespace {

constexpr std::size_t max_depth = 128;

// Builds the value as the parser reads it. nlohmann's own builder has no bound, and the one that can be
// watched looks through the whole parent after each object of it, which takes a time that grows with the
// square.
class JsonBuilder {
 public:
  JsonBuilder(const std::string& where, bool unique_keys, std::size_t max_values)
      : where_(where), unique_keys_(unique_keys), values_left_(max_values) {}

  bool null() { return add(nullptr) != nullptr; }
  bool boolean(bool value) { return add(value) != nullptr; }
  bool number_integer(Json::number_integer_t value) { return add(value) != nullptr; }
  bool number_unsigned(Json::number_unsigned_t value) { return add(value) != nullptr; }
  bool number_float(Json::number_float_t value, const std::string&) { return add(value) != nullptr; }
  bool string(std::string& value) { return add(std::move(value)) != nullptr; }
  bool binary(Json::binary_t&) { return false; }  // no text has any
  bool start_object(std::size_t) { return open(Json::value_t::object); }
  bool start_array(std::size_t) { return open(Json::value_t::array); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    const auto [member, fresh] = open_.back()->get_ref<Json::object_t&>().try_emplace(std::move(name));
    if (!fresh && unique_keys_)
      throw FormatError(
          fmt::format("{}: expected every key once, found \"{}\" twice", where_, printable(member->first)));
    member_ = &member->second;
    return true;
  }
  template <class Error>
  bool parse_error(std::size_t, const std::string&, const Error& error) {
    throw Error(error);
  }

  Json take() { return std::move(root_); }

 private:
  template <class Value>
  Json* add(Value&& value) {
    if (values_left_ == 0)
      throw FormatError(fmt::format("{}: expected JSON of fewer values, found more than are taken", where_));
    --values_left_;
    if (open_.empty()) {
      root_ = Json(std::forward<Value>(value));
      return &root_;
    }
    if (open_.back()->is_array())
      return &open_.back()->get_ref<Json::array_t&>().emplace_back(std::forward<Value>(value));
    *member_ = Json(std::forward<Value>(value));
    return member_;
  }
  // What is nested without end would exhaust the stack of whoever reads it.
  bool open(Json::value_t kind) {
    if (open_.size() == max_depth)
      throw FormatError(
          fmt::format("{}: expected JSON nested at most {} deep, found more", where_, max_depth));
    open_.push_back(add(kind));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  const std::string& where_;
  bool unique_keys_;
  std::size_t values_left_;
  Json root_;
  std::vector<Json*> open_;  // arrays and objects that are not closed, the innermost last
  Json* member_ = nullptr;   // of the innermost object: what the last key names
};

Json parse(std::string_view text, JsonBuilder builder, const std::string& where) {
  refuse_pointer(text, where);
  try {
    Json::sax_parse(text, &builder);
  } catch (const Json::parse_error& e) {
    throw FormatError(fmt::format("{}: expected valid JSON, found an error at byte {}: {}", where, e.byte,
                                  printable(e.what())));
  } catch (const Json::exception& e) {
    throw FormatError(fmt::format("{}: expected valid JSON, found: {}", where, printable(e.what())));
  }
  return builder.take();
}

}  // namespace

Json parse_json(std::string_view text, const std::string& where) {
  return parse(text, JsonBuilder(where, false, std::numeric_limits<std::size_t>::max()), where);
}

Json parse_json_unique(std::string_view text, const std::string& where, std::size_t max_values) {
  return parse(text, JsonBuilder(where, true, max_values), where);
}

std::string printed(const Json& value) {
  return printable(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Json read_json_file(const std::string& path) {
  return parse_json(read_file(path), path);
}

}  // namespace headwater
