// Text under normalisation: every byte knows which bytes of the original text it stands for.
//
// Guarantees: `text` is valid UTF-8, `spans` has one entry per byte of it, all bytes of one code point
// share a span, and spans never run backwards. So any slice of the text maps to one original span.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headwater {

struct ByteSpan {
  std::uint32_t begin = 0, end = 0;
  bool operator==(const ByteSpan&) const = default;
};

struct AlignedText {
  std::string text;
  std::vector<ByteSpan> spans;

  void append(char32_t code_point, ByteSpan span);
  void append(const AlignedText& other, std::size_t begin, std::size_t end);  // a byte range of another
  void reserve(std::size_t bytes);
};

// The text as it is, each code point standing for itself; `begin` is its place in the original.
AlignedText aligned(std::string_view text, std::size_t begin = 0);

// One character of a rewritten text and how it came about: 0 replaces the next old character, +1 is
// inserted after what was written last, −n replaces one and drops n more.
struct Change {
  char32_t code_point;
  int change;
};

// Rewrites the whole text by `changes`, with the spans that follow from the counting above. A list that
// uses up more characters than there are keeps pointing at the last one.
void apply_changes(AlignedText& text, const std::vector<Change>& changes);

bool is_ascii(std::string_view text);

// Refuses a text that has grown out of all proportion to its original: steps of a pipeline that each double
// it would otherwise fill the memory. Throws FormatError.
void require_proportion(const AlignedText& text);

}  // namespace headwater
