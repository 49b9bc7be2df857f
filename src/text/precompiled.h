// The character map of a sentencepiece model (normalizer "Precompiled"): a double-array trie over UTF-8
// that names, for a sequence of bytes, the text that replaces it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/aligned_text.h"
#include "text/json_view.h"

namespace headwater {

class CharacterMap {
 public:
  explicit CharacterMap(const JsonView& base64);  // throws FormatError
  void apply(AlignedText& text) const;

 private:
  std::optional<std::string_view> replacement(std::string_view part) const;

  std::vector<std::uint32_t> trie_;
  std::string texts_;  // replacements, each ended by NUL
};

}  // namespace headwater
