// UTF-8 without surprises: strict validation (no overlongs, no surrogates), decoding and encoding.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace headwater {

// Byte offset of the first invalid sequence, or nothing if the text is valid UTF-8.
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

// Throws InputError "where: invalid UTF-8 at byte N (0xXX) …" with a remedy.
void require_utf8(std::string_view text, std::string_view where);

// Decodes the code point that starts at `at` and advances `at` past it; the text must be valid.
char32_t next_code_point(std::string_view text, std::size_t& at);
void append_utf8(std::string& out, char32_t code_point);

// A name from a file or a command line, fit for a message: control characters and invalid bytes become
// \\xHH, and what exceeds 200 bytes becomes "…".
std::string printable(std::string_view text);

std::u32string to_utf32(std::string_view valid_text);

}  // namespace headwater
