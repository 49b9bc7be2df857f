#include "base/json.h"

#include <set>
#include <vector>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/files.h"
#include "base/utf8.h"

HEADWATER_JSON_PARTS(, nlohmann::json)
HEADWATER_JSON_PARTS(, nlohmann::ordered_json)

namespace headwater {
namespace {

constexpr int max_depth = 128;

// Refuses nesting that could exhaust the stack. Brackets are counted before parsing, since watching the
// parser for it costs as much as the parsing: a vocabulary of 30,000 pieces has as many values.
void require_shallow(std::string_view text, const std::string& where) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      in_string = !in_string;
    } else if (in_string) {
      if (c == '\\') ++i;
    } else if (c == '[' || c == '{') {
      if (++depth > max_depth)
        throw FormatError(
            fmt::format("{}: expected JSON nested at most {} deep, found more", where, max_depth));
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
}

// Watches the parser and refuses repeated keys.
class UniqueKeys {
 public:
  explicit UniqueKeys(const std::string& where) : where_(where) {}

  bool operator()(int, Json::parse_event_t event, const Json& value) {
    if (event == Json::parse_event_t::object_start) {
      open_.emplace_back();
    } else if (event == Json::parse_event_t::object_end) {
      open_.pop_back();
    } else if (event == Json::parse_event_t::key) {
      const auto& key = value.get_ref<const std::string&>();
      if (!open_.back().insert(key).second)
        throw FormatError(
            fmt::format("{}: expected every key once, found \"{}\" twice", where_, printable(key)));
    }
    return true;
  }

 private:
  const std::string& where_;
  std::vector<std::set<std::string>> open_;
};

Json parse(std::string_view text, const std::string& where, const Json::parser_callback_t& watcher) {
  refuse_pointer(text, where);
  require_shallow(text, where);
  try {
    return Json::parse(text, watcher);
  } catch (const Json::parse_error& e) {
    throw FormatError(fmt::format("{}: expected valid JSON, found an error at byte {}: {}", where, e.byte,
                                  printable(e.what())));
  } catch (const Json::exception& e) {
    throw FormatError(fmt::format("{}: expected valid JSON, found: {}", where, printable(e.what())));
  }
}

}  // namespace

Json parse_json(std::string_view text, const std::string& where) {
  return parse(text, where, nullptr);
}

Json parse_json_unique(std::string_view text, const std::string& where) {
  UniqueKeys watcher(where);
  return parse(text, where, std::ref(watcher));
}

std::string printed(const Json& value) {
  return printable(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Json read_json_file(const std::string& path) {
  return parse_json(read_file(path), path);
}

}  // namespace headwater
