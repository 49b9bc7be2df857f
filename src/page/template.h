// Helpers that put data into a page safely: encodings, and a template filled in one pass.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace headwater {

// Makes JSON safe inside a <script>: '<', '>', '&', U+2028 and U+2029 are escaped, so that neither </script>
// nor <!-- can appear.
std::string script_safe(std::string_view json);

// Replaces {{name}} by its value; values are never searched for names again. Throws InternalError for a name
// that has no value.
std::string filled(std::string_view page, const std::map<std::string, std::string, std::less<>>& values);

}  // namespace headwater
