// The byte alphabet of GPT-2: every byte has one visible character, so that any text is made of known
// symbols. Printable Latin-1 bytes stand for themselves, the others for U+0100 onwards.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "text/aligned_text.h"

namespace headwater {

char32_t character_of_byte(unsigned char byte);
std::optional<unsigned char> byte_of_character(char32_t c);

// Appends the byte form of `text`, a range of an aligned text, with the spans of its characters.
void append_byte_level(const AlignedText& from, std::size_t begin, std::size_t end, AlignedText& out);

}  // namespace headwater
