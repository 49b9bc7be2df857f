// Format (little-endian): u32 bytes of the trie, the trie as u32 units, then the replacement texts, each
// ended by NUL. A trie unit holds, from the lowest bit:
//
//   label 8 | has_leaf 1 | offset shifted by 8 more 1 | offset 22    inner unit, bit 31 clear
//   value 31 | 1                                                     leaf: where its replacement begins
//
// From the unit at p, byte c leads to p ⊕ offset(p) ⊕ c if the label there is c.
//
// A text is mapped grapheme by grapheme: a grapheme of fewer than 6 bytes is replaced whole by the entry
// of its *shortest* prefix in the trie; otherwise each of its characters is looked up alone. That is how
// the models were trained, so it is part of the format.
#include "text/precompiled.h"

#include <utf8proc.h>

#include "base/utf8.h"

namespace headwater {
namespace {

std::string decode_base64(const JsonView& view) {
  const std::string text = view.string();
  const auto value = [](char c) -> int {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+') return 62;
    return c == '/' ? 63 : -1;
  };
  std::size_t length = text.size();
  if (length % 4 != 0) view.fail("base64 of a length divisible by 4");
  while (length > 0 && text.size() - length < 2 && text[length - 1] == '=') --length;
  std::string out;
  out.reserve(length * 3 / 4);
  std::uint32_t bits = 0;
  unsigned filled = 0;
  for (std::size_t i = 0; i < length; ++i) {
    const int six = value(text[i]);
    if (six < 0) view.fail("base64");
    bits = (bits << 6U) | static_cast<std::uint32_t>(six);
    filled += 6;
    if (filled < 8) continue;
    filled -= 8;
    out += static_cast<char>(static_cast<unsigned char>(bits >> filled));
  }
  return out;
}

std::uint32_t little_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i)
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8U * i);
  return value;
}

bool has_leaf(std::uint32_t unit) {
  return ((unit >> 8U) & 1U) != 0;
}

std::uint32_t offset(std::uint32_t unit) {
  return (unit >> 10U) << ((unit & (1U << 9U)) >> 6U);
}

// Puts the characters of `with` in place of `count` old ones.
void replace(std::vector<Change>& changes, int count, std::string_view with) {
  const std::size_t first = changes.size();
  for (std::size_t at = 0; at < with.size();) changes.push_back({next_code_point(with, at), 0});
  const int difference = static_cast<int>(changes.size() - first) - count;
  for (int i = 0; i < difference; ++i) changes[changes.size() - 1 - static_cast<std::size_t>(i)].change = 1;
  if (difference < 0 && !changes.empty()) changes.back().change += difference;
}

// The end of the grapheme cluster that begins at `begin`.
std::size_t grapheme_end(std::string_view text, std::size_t begin) {
  std::size_t at = begin;
  char32_t previous = next_code_point(text, at);
  utf8proc_int32_t state = 0;
  while (at < text.size()) {
    std::size_t next = at;
    const char32_t c = next_code_point(text, next);
    if (utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(previous),
                                         static_cast<utf8proc_int32_t>(c), &state))
      break;
    previous = c;
    at = next;
  }
  return at;
}

}  // namespace

CharacterMap::CharacterMap(const JsonView& base64) {
  const std::string bytes = decode_base64(base64);
  if (bytes.size() < 4) base64.fail("a character map of at least 4 bytes");
  const std::size_t size = little_endian(bytes, 0);
  if (size > bytes.size() - 4 || size < 4) base64.fail("a character map whose trie fits into it");
  trie_.resize(size / 4);
  for (std::size_t i = 0; i < trie_.size(); ++i) trie_[i] = little_endian(bytes, 4 + 4 * i);
  texts_ = bytes.substr(4 + 4 * trie_.size());
  if (first_invalid_utf8(texts_)) base64.fail("replacement texts in UTF-8");
}

std::optional<std::string_view> CharacterMap::replacement(std::string_view part) const {
  std::size_t at = offset(trie_[0]);
  for (const char c : part) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == 0) break;
    at ^= byte;
    if (at >= trie_.size()) return std::nullopt;
    const std::uint32_t unit = trie_[at];
    if ((unit & ((1U << 31U) | 0xFFU)) != byte) return std::nullopt;
    at ^= offset(unit);
    if (!has_leaf(unit)) continue;
    if (at >= trie_.size()) return std::nullopt;
    const std::size_t begin = trie_[at] & 0x7FFFFFFFU;
    // A broken map may point outside or into the middle of a character: such an entry does not exist.
    if (begin > texts_.size()) return std::nullopt;
    if (begin < texts_.size() && (static_cast<unsigned char>(texts_[begin]) & 0xC0U) == 0x80U)
      return std::nullopt;
    const std::size_t end = std::min(texts_.find('\0', begin), texts_.size());
    return std::string_view(texts_).substr(begin, end - begin);
  }
  return std::nullopt;
}

void CharacterMap::apply(AlignedText& text) const {
  const std::string_view from = text.text;
  std::vector<Change> changes;
  changes.reserve(from.size());
  bool changed = false;
  for (std::size_t at = 0; at < from.size();) {
    const std::size_t end = grapheme_end(from, at);
    const std::string_view grapheme = from.substr(at, end - at);
    at = end;
    if (grapheme.size() < 6) {
      if (const auto with = replacement(grapheme)) {
        changed = true;
        int count = 0;
        for (std::size_t i = 0; i < grapheme.size(); ++count) next_code_point(grapheme, i);
        replace(changes, count, *with);
        continue;
      }
    }
    for (std::size_t i = 0; i < grapheme.size();) {
      const std::size_t begin = i;
      const char32_t c = next_code_point(grapheme, i);
      if (const auto with = replacement(grapheme.substr(begin, i - begin))) {
        changed = true;
        replace(changes, 1, *with);
      } else {
        changes.push_back({c, 0});
      }
    }
  }
  if (changed) apply_changes(text, changes);
}

}  // namespace headwater
