#include "text/aligned_text.h"

#include <algorithm>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/utf8.h"

namespace headwater {

void AlignedText::append(char32_t code_point, ByteSpan span) {
  append_utf8(text, code_point);
  spans.resize(text.size(), span);
}

void AlignedText::append(const AlignedText& other, std::size_t begin, std::size_t end) {
  text.append(other.text, begin, end - begin);
  const auto first = other.spans.begin();
  spans.insert(spans.end(), first + static_cast<std::ptrdiff_t>(begin),
               first + static_cast<std::ptrdiff_t>(end));
}

void AlignedText::reserve(std::size_t bytes) {
  text.reserve(bytes);
  spans.reserve(bytes);
}

AlignedText aligned(std::string_view text, std::size_t begin) {
  AlignedText result{.text = std::string(text), .spans = {}};
  result.spans.resize(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      ++at;
    } else {
      next_code_point(text, at);
    }
    const ByteSpan span{static_cast<std::uint32_t>(begin + start), static_cast<std::uint32_t>(begin + at)};
    for (std::size_t i = start; i < at; ++i) result.spans[i] = span;
  }
  return result;
}

void apply_changes(AlignedText& text, const std::vector<Change>& changes) {
  if (text.text.empty()) return;
  AlignedText result;
  result.reserve(text.text.size());
  const ByteSpan origin{text.spans.front().begin, text.spans.front().begin};
  const std::size_t last = text.text.size() - 1;
  std::size_t at = 0;  // byte of the old text that comes next
  const auto skip = [&] {
    if (at <= last) next_code_point(text.text, at);
  };
  for (const Change& c : changes) {
    if (c.change > 0) {
      result.append(c.code_point, at == 0 ? origin : text.spans[at - 1]);
      continue;
    }
    result.append(c.code_point, text.spans[std::min(at, last)]);
    for (int i = 0; i <= -c.change && at <= last; ++i) skip();
  }
  text = std::move(result);
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

void require_proportion(const AlignedText& text) {
  // The longest decomposition there is makes 33 bytes of 3.
  constexpr std::size_t floor = std::size_t{1} << 20U, factor = 32;
  if (text.text.size() <= floor) return;
  const std::size_t original = text.spans.back().end - text.spans.front().begin;
  if (text.text.size() > floor + factor * original)
    throw FormatError(
        fmt::format("tokenizer: expected normalizers and pre-tokenizers to keep the size of a text, found {} "
                    "bytes made of {}",
                    text.text.size(), original));
}

}  // namespace headwater
