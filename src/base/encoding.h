// Encodings of bytes and numbers as text formats need them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace headwater {

std::string base64(std::string_view bytes);
std::string sha256_base64(std::string_view bytes);  // as a content security policy needs it

// IEEE 754 binary16, rounded to nearest even; NaN stays NaN.
std::uint16_t half_bits(float value);

// Text for an HTML element or attribute.
std::string html_escaped(std::string_view text);

}  // namespace headwater
