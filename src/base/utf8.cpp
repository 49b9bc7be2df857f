#include "base/utf8.h"

#include <algorithm>

#include <fmt/format.h>
#include <headwater/error.h>
#include <utf8proc.h>

namespace headwater {
namespace {

// The code point that stands at `at` and the length of its sequence; 0: the sequence is not valid.
std::size_t sequence_at(std::string_view text, std::size_t at, utf8proc_int32_t& code_point) {
  const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + at,
                                       static_cast<utf8proc_ssize_t>(text.size() - at), &code_point);
  return static_cast<std::size_t>(std::max<utf8proc_ssize_t>(length, 0));
}

std::size_t sequence_length(std::string_view text, std::size_t at) {
  utf8proc_int32_t ignored = 0;
  return sequence_at(text, at, ignored);
}

}  // namespace

std::optional<std::size_t> first_invalid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text, at);
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

void require_utf8(std::string_view text, std::string_view where) {
  if (const auto bad = first_invalid_utf8(text))
    throw InputError(
        fmt::format("{}: expected UTF-8, found an invalid byte 0x{:02X} at byte {}; convert the text, "
                    "for example with iconv -f LATIN1 -t UTF-8",
                    where, static_cast<unsigned char>(text[*bad]), *bad));
}

char32_t next_code_point(std::string_view text, std::size_t& at) {
  utf8proc_int32_t code_point = 0;
  at += std::max<std::size_t>(sequence_at(text, at, code_point), 1);
  return static_cast<char32_t>(code_point);
}

void append_utf8(std::string& out, char32_t c) {
  utf8proc_uint8_t bytes[4];
  const auto length = utf8proc_encode_char(static_cast<utf8proc_int32_t>(c), bytes);
  out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length));
}

std::string printable(std::string_view text) {
  constexpr std::size_t limit = 200;
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (at >= limit) return out + "…";
    const std::size_t length = sequence_length(text, at);
    const auto byte = static_cast<unsigned char>(text[at]);
    if (length == 0 || byte < 0x20 || byte == 0x7F)
      out += fmt::format("\\x{:02X}", byte);
    else
      out.append(text, at, length);
    at += std::max<std::size_t>(length, 1);
  }
  return out;
}

std::u32string to_utf32(std::string_view valid_text) {
  std::u32string out;
  out.reserve(valid_text.size());
  for (std::size_t at = 0; at < valid_text.size();) out += next_code_point(valid_text, at);
  return out;
}

}  // namespace headwater
