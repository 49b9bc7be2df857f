#include "base/utf8.h"

#include <algorithm>

#include <fmt/format.h>
#include <headwater/error.h>

namespace headwater {
namespace {

// Length of the valid sequence at `at`, or 0. Table 3-7 of the Unicode Standard.
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto continuation = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xC0U) == 0x80U; };
  const unsigned char first = byte(at);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continuation(at + 1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    if (!continuation(at + 1) || !continuation(at + 2)) return 0;
    if (first == 0xE0 && byte(at + 1) < 0xA0) return 0;   // overlong
    if (first == 0xED && byte(at + 1) >= 0xA0) return 0;  // surrogate
    return 3;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    if (!continuation(at + 1) || !continuation(at + 2) || !continuation(at + 3)) return 0;
    if (first == 0xF0 && byte(at + 1) < 0x90) return 0;   // overlong
    if (first == 0xF4 && byte(at + 1) >= 0x90) return 0;  // above U+10FFFF
    return 4;
  }
  return 0;
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
  const auto low = [&](std::size_t i) {
    return static_cast<char32_t>(static_cast<unsigned char>(text[i]) & 0x3FU);
  };
  const auto first = static_cast<unsigned char>(text[at]);
  if (first < 0x80) return static_cast<char32_t>(text[at++]);
  if (first < 0xE0) {
    at += 2;
    return (static_cast<char32_t>(first & 0x1FU) << 6U) | low(at - 1);
  }
  if (first < 0xF0) {
    at += 3;
    return (static_cast<char32_t>(first & 0x0FU) << 12U) | (low(at - 2) << 6U) | low(at - 1);
  }
  at += 4;
  return (static_cast<char32_t>(first & 0x07U) << 18U) | (low(at - 3) << 12U) | (low(at - 2) << 6U) |
         low(at - 1);
}

void append_utf8(std::string& out, char32_t c) {
  const auto put = [&](char32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0U | (c >> 6U));
    put(0x80U | (c & 0x3FU));
  } else if (c < 0x10000) {
    put(0xE0U | (c >> 12U));
    put(0x80U | ((c >> 6U) & 0x3FU));
    put(0x80U | (c & 0x3FU));
  } else {
    put(0xF0U | (c >> 18U));
    put(0x80U | ((c >> 12U) & 0x3FU));
    put(0x80U | ((c >> 6U) & 0x3FU));
    put(0x80U | (c & 0x3FU));
  }
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

std::string to_utf8(std::u32string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char32_t c : text) append_utf8(out, c);
  return out;
}

}  // namespace headwater
