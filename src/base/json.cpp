#include "base/json.h"

#include <set>
#include <vector>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/files.h"
#include "base/utf8.h"

template class nlohmann::basic_json<>;

namespace headwater {
namespace {

constexpr int max_depth = 128;

// Watches the parser: refuses deep nesting and, if asked, repeated keys.
class Watcher {
 public:
  enum class Keys { LastCounts, Unique };
  Watcher(const std::string& where, Keys keys) : where_(where), keys_(keys) {}

  bool operator()(int depth, Json::parse_event_t event, const Json& value) {
    if (depth > max_depth)
      throw FormatError(
          fmt::format("{}: expected JSON nested at most {} deep, found more", where_, max_depth));
    if (keys_ == Keys::LastCounts) return true;
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
  Keys keys_;
  std::vector<std::set<std::string>> open_;
};

Json parse(std::string_view text, const std::string& where, Watcher watcher) {
  try {
    return Json::parse(text, std::ref(watcher));
  } catch (const Json::parse_error& e) {
    throw FormatError(fmt::format("{}: expected valid JSON, found an error at byte {}: {}", where, e.byte,
                                  printable(e.what())));
  } catch (const Json::exception& e) {
    throw FormatError(fmt::format("{}: expected valid JSON, found: {}", where, printable(e.what())));
  }
}

}  // namespace

Json parse_json(std::string_view text, const std::string& where) {
  return parse(text, where, {where, Watcher::Keys::LastCounts});
}

Json parse_json_unique(std::string_view text, const std::string& where) {
  return parse(text, where, {where, Watcher::Keys::Unique});
}

Json read_json_file(const std::string& path) {
  return parse_json(read_file(path), path);
}

}  // namespace headwater
