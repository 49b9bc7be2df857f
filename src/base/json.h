// JSON at the boundary: parsed with limits, and read with errors that name the file and the key.
#pragma once

#include <limits>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/json_fwd.h"

// Compiled once, in json.cpp, as every file would spend time on copies: but for most, which nobody calls.
// NOLINTBEGIN(bugprone-macro-parentheses): types cannot stand in any
#define HEADWATER_JSON_PARTS(linkage, Type)                                                          \
  linkage template void Type::json_value::destroy(nlohmann::detail::value_t);                        \
  linkage template std::string Type::dump(int, char, bool, nlohmann::detail::error_handler_t) const; \
  linkage template Type::basic_json(Type::initializer_list_t, bool, nlohmann::detail::value_t);      \
  linkage template Type::basic_json(const Type&);
HEADWATER_JSON_PARTS(extern, nlohmann::json)
HEADWATER_JSON_PARTS(extern, nlohmann::ordered_json)
// NOLINTEND(bugprone-macro-parentheses)
namespace headwater {

// Parses `text`, which came from `where` (a file name for messages). Throws FormatError naming the
// byte offset; nesting deeper than 128 levels is refused, so that hostile files cannot exhaust the stack.
Json parse_json(std::string_view text, const std::string& where);
// As parse_json; a key given twice in one object is a FormatError too (elsewhere the last one counts), and so
// is text of more than `max_values` values: each takes up to 150 bytes, wherefore "[[],[], …]" needs thirty
// times its length.
Json parse_json_unique(std::string_view text, const std::string& where,
                       std::size_t max_values = std::numeric_limits<std::size_t>::max());
Json read_json_file(const std::string& path);
std::string printed(const Json& value);  // fit for a message (utf8.h, printable)

}  // namespace headwater
