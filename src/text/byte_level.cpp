#include "text/byte_level.h"

#include <array>

namespace headwater {
namespace {

struct Alphabet {
  std::array<char32_t, 256> character{};
  std::array<int, 512> byte{};

  Alphabet() {
    byte.fill(-1);
    char32_t next = 256;
    for (unsigned b = 0; b < 256; ++b) {
      const bool printable = (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE;
      character[b] = printable ? static_cast<char32_t>(b) : next++;
      byte[character[b]] = static_cast<int>(b);
    }
  }
};

const Alphabet& alphabet() {
  static const Alphabet instance;
  return instance;
}

}  // namespace

char32_t character_of_byte(unsigned char byte) {
  return alphabet().character[byte];
}

std::optional<unsigned char> byte_of_character(char32_t c) {
  if (c >= 512 || alphabet().byte[c] < 0) return std::nullopt;
  return static_cast<unsigned char>(alphabet().byte[c]);
}

void append_byte_level(const AlignedText& from, std::size_t begin, std::size_t end, AlignedText& out) {
  for (std::size_t i = begin; i < end; ++i)
    out.append(character_of_byte(static_cast<unsigned char>(from.text[i])), from.spans[i]);
}

}  // namespace headwater
