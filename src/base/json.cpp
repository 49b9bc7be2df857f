#include "base/json.h"

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/files.h"

namespace headwater {

Json parse_json(std::string_view text, const std::string& where) {
  constexpr int max_depth = 128;
  const auto limit_depth = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > max_depth)
      throw FormatError(
          fmt::format("{}: expected JSON nested at most {} deep, found more", where, max_depth));
    return true;
  };
  try {
    return Json::parse(text, limit_depth);
  } catch (const Json::parse_error& e) {
    throw FormatError(
        fmt::format("{}: expected valid JSON, found an error at byte {}: {}", where, e.byte, e.what()));
  } catch (const Json::exception& e) {
    throw FormatError(fmt::format("{}: expected valid JSON, found: {}", where, e.what()));
  }
}

Json read_json_file(const std::string& path) {
  return parse_json(read_file(path), path);
}

}  // namespace headwater
