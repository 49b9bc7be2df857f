// Helpers that put data into a page safely: encodings, and a template filled in one pass.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace headwater {

std::string base64(std::string_view bytes);
std::string sha256_base64(std::string_view bytes);  // as a content security policy needs it

// IEEE 754 binary16, rounded to nearest even; NaN stays NaN.
std::uint16_t half_bits(float value);

// Text for an HTML element or attribute.
std::string html_escaped(std::string_view text);

// Makes JSON safe inside a <script>: '<', '>', '&', U+2028 and U+2029 are escaped, so that neither </script>
// nor <!-- can appear.
std::string script_safe(std::string_view json);

// Replaces {{name}} by its value; values are never searched for names again. Throws InternalError for a name
// that has no value.
std::string filled(std::string_view page, const std::map<std::string, std::string, std::less<>>& values);

// One argument of a POSIX shell, quoted if necessary.
std::string shell_quoted(std::string_view text);

}  // namespace headwater
