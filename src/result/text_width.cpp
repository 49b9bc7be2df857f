// A grapheme cluster is as wide as its widest code point; the emoji presentation selector U+FE0F makes it
// two.
#include "result/text_width.h"

#include <algorithm>

#include <utf8proc.h>

#include "base/utf8.h"

namespace headwater {

namespace {

// Calls f(begin, end, columns) for every grapheme cluster.
template <class F>
void for_clusters(std::string_view text, F&& f) {
  std::size_t at = 0, begin = 0;
  int width = 0;
  utf8proc_int32_t state = 0, previous = -1;
  while (at < text.size()) {
    const std::size_t here = at;
    const auto c = static_cast<utf8proc_int32_t>(next_code_point(text, at));
    if (previous >= 0 && utf8proc_grapheme_break_stateful(previous, c, &state)) {
      f(begin, here, width);
      begin = here;
      width = 0;
    }
    width = c == 0xFE0F ? 2 : std::max(width, utf8proc_charwidth(c));
    previous = c;
  }
  if (at > begin) f(begin, at, width);
}

bool steers_direction(char32_t c) {
  return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0x200E || c == 0x200F;
}

}  // namespace

int text_width(std::string_view text) {
  int columns = 0;
  for_clusters(text, [&](std::size_t, std::size_t, int width) { columns += width; });
  return columns;
}

std::vector<std::string> upright_letters(std::string_view text) {
  std::vector<std::string> letters;
  bool all = true;
  for_clusters(text, [&](std::size_t begin, std::size_t end, int width) {
    letters.emplace_back(text.substr(begin, end - begin));
    all &= width == 2;
  });
  if (!all) letters.clear();
  return letters;
}

namespace {

// `text` is valid UTF-8.
void append_safe(std::string& out, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    if (c < 0x20)
      append_utf8(out, 0x2400 + c);
    else if (c == 0x7F)
      append_utf8(out, 0x2421);
    else if ((c >= 0x80 && c < 0xA0) || steers_direction(c))
      append_utf8(out, 0xFFFD);
    else
      append_utf8(out, c);
  }
}

}  // namespace

std::string terminal_safe(std::string_view text) {
  std::string out;
  for (;;) {
    const std::optional<std::size_t> bad = first_invalid_utf8(text);
    append_safe(out, text.substr(0, bad.value_or(text.size())));
    if (!bad) return out;
    append_utf8(out, 0xFFFD);
    text.remove_prefix(*bad + 1);
  }
}

std::string fitted(std::string_view text, int width) {
  const int columns = text_width(text);
  if (columns <= width)
    return std::string(text) + std::string(static_cast<std::size_t>(width - columns), ' ');
  std::string out;
  int used = 0;
  bool open = true;
  for_clusters(text, [&](std::size_t begin, std::size_t end, int w) {
    open = open && used + w <= width - 1;
    if (!open) return;
    out += text.substr(begin, end - begin);
    used += w;
  });
  out += "…";
  return out + std::string(static_cast<std::size_t>(std::max(0, width - used - 1)), ' ');
}

std::vector<std::string> cut_to_columns(std::string_view text, int width) {
  std::vector<std::string> parts;
  int used = 0;
  for_clusters(text, [&](std::size_t begin, std::size_t end, int columns) {
    if (parts.empty() || used + columns > width) {
      parts.emplace_back();
      used = 0;
    }
    parts.back() += text.substr(begin, end - begin);
    used += columns;
  });
  return parts;
}

std::string paragraph(std::string_view text, const ParagraphFormat& format) {
  std::string out(static_cast<std::size_t>(format.first), ' ');
  int column = format.first;
  bool empty = true;  // the line has no word yet
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t word = std::min(text.find_first_not_of(' ', at), text.size());
    const std::size_t end = std::min(text.find(' ', word), text.size());
    const auto spaces = static_cast<int>(word - at);
    const std::vector<std::string> parts =
        cut_to_columns(text.substr(word, end - word), format.width - format.rest);
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const int columns = text_width(parts[p]);
      if (!empty && (p > 0 || column + spaces + columns > format.width)) {
        out += "\n" + std::string(static_cast<std::size_t>(format.rest), ' ');
        column = format.rest;
      } else if (!empty) {
        out += std::string(static_cast<std::size_t>(spaces), ' ');
        column += spaces;
      }
      out += parts[p];
      column += columns;
      empty = false;
    }
    at = end;
  }
  return out + "\n";
}

std::string visible(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace headwater
