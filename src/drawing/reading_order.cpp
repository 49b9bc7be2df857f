#include "drawing/reading_order.h"

#include <algorithm>

#include <utf8proc.h>

#include "base/utf8.h"

namespace headwater {
namespace {

enum class Kind { Left, Right, Arabic, Number, ArabicNumber, Separator, Terminator, Neutral };

utf8proc_bidi_class_t class_of_character(char32_t c) {
  return static_cast<utf8proc_bidi_class_t>(
      utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->bidi_class);
}

bool is_right(utf8proc_bidi_class_t c) {
  return c == UTF8PROC_BIDI_CLASS_R || c == UTF8PROC_BIDI_CLASS_AL;
}

// The direction is that of the first letter, or without a letter of the first digit; separators and
// terminators (%, €) alone have none.
Kind kind_of_piece(std::string_view piece) {
  Kind kind = Kind::Neutral;
  bool first = true;
  for (std::size_t at = 0; at < piece.size(); first = false) {
    const utf8proc_bidi_class_t c = class_of_character(next_code_point(piece, at));
    if (c == UTF8PROC_BIDI_CLASS_L) return Kind::Left;
    if (is_right(c)) return c == UTF8PROC_BIDI_CLASS_AL ? Kind::Arabic : Kind::Right;
    const bool number = kind == Kind::Number || kind == Kind::ArabicNumber;
    if (c == UTF8PROC_BIDI_CLASS_EN && !number) kind = Kind::Number;
    if (c == UTF8PROC_BIDI_CLASS_AN && !number) kind = Kind::ArabicNumber;
    if (first && c == UTF8PROC_BIDI_CLASS_ET) kind = Kind::Terminator;
    if (first && at == piece.size() && (c == UTF8PROC_BIDI_CLASS_ES || c == UTF8PROC_BIDI_CLASS_CS))
      kind = Kind::Separator;
  }
  return kind;
}

bool is_letter(Kind kind) {
  return kind == Kind::Left || kind == Kind::Right || kind == Kind::Arabic;
}

bool is_number_kind(Kind kind) {
  return kind == Kind::Number || kind == Kind::ArabicNumber;
}

// W2: digits after an Arabic letter are Arabic numbers; W3: that letter is then like any right-to-left
// letter.
void resolve_arabic(std::vector<Kind>& kinds) {
  bool arabic = false;
  for (Kind& kind : kinds) {
    if (is_letter(kind)) arabic = kind == Kind::Arabic;
    if (kind == Kind::Number && arabic) kind = Kind::ArabicNumber;
    if (kind == Kind::Arabic) kind = Kind::Right;
  }
}

// W4: 3 . 5 is one number; W5: 10 % too; W6: elsewhere these are neutral; W7: a number after a Latin word
// follows the word.
void resolve_numbers(std::vector<Kind>& kinds, Kind base) {
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const bool inside =
        i > 0 && i + 1 < kinds.size() && is_number_kind(kinds[i - 1]) && kinds[i + 1] == kinds[i - 1];
    if (kinds[i] == Kind::Separator) kinds[i] = inside ? kinds[i - 1] : Kind::Neutral;
  }
  for (std::size_t i = 1; i < kinds.size(); ++i)
    if (kinds[i] == Kind::Terminator && kinds[i - 1] == Kind::Number) kinds[i] = Kind::Number;
  for (std::size_t i = kinds.size(); i-- > 0;)
    if (kinds[i] == Kind::Terminator)
      kinds[i] = i + 1 < kinds.size() && kinds[i + 1] == Kind::Number ? Kind::Number : Kind::Neutral;
  Kind last = base;
  for (Kind& kind : kinds) {
    if (is_letter(kind)) last = kind;
    if (kind == Kind::Number && last == Kind::Left) kind = Kind::Left;
  }
}

// N1 and N2: neutral pieces between two of one direction take that direction, the rest that of the line.
// Numbers count as right-to-left.
void resolve_neutrals(std::vector<Kind>& kinds, Kind base) {
  const auto side = [&](Kind kind) { return is_number_kind(kind) ? Kind::Right : kind; };
  for (std::size_t begin = 0, end = 0; begin < kinds.size(); begin = end + 1) {
    for (end = begin; end < kinds.size() && kinds[end] == Kind::Neutral; ++end) {
    }
    const Kind before = begin > 0 ? side(kinds[begin - 1]) : base;
    const Kind after = end < kinds.size() ? side(kinds[end]) : base;
    for (std::size_t i = begin; i < end; ++i) kinds[i] = before == after ? before : base;
  }
}

}  // namespace

ReadingLevels reading_levels(std::span<const std::string> pieces) {
  std::vector<Kind> kinds;
  for (const std::string& piece : pieces) kinds.push_back(kind_of_piece(piece));
  resolve_arabic(kinds);
  const auto strong = std::find_if(kinds.begin(), kinds.end(), is_letter);
  const Kind base = strong == kinds.end() ? Kind::Left : *strong;
  resolve_numbers(kinds, base);
  resolve_neutrals(kinds, base);
  ReadingLevels out{.right = base == Kind::Right};
  for (const Kind kind : kinds)
    out.levels.push_back(kind == Kind::Right ? 1 : kind == Kind::Left && !out.right ? 0 : 2);
  return out;
}

std::vector<std::size_t> visual_order(std::span<const int> levels) {
  std::vector<std::size_t> order(levels.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (const int least : {2, 1})
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end + 1) {
      for (end = begin; end < order.size() && levels[order[end]] >= least; ++end) {
      }
      std::reverse(order.begin() + static_cast<std::ptrdiff_t>(begin),
                   order.begin() + static_cast<std::ptrdiff_t>(end));
    }
  return order;
}

std::string read_from_left(std::string_view text) {
  constexpr std::string_view mark = "\u200e";
  std::string out, waiting;  // spaces that may still belong to a run of words from the right
  bool inside = false, other = false;
  Kind first = Kind::Neutral;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const utf8proc_bidi_class_t c = class_of_character(next_code_point(text, at));
    const std::string_view letter = text.substr(begin, at - begin);
    if (first == Kind::Neutral && (is_right(c) || c == UTF8PROC_BIDI_CLASS_L))
      first = is_right(c) ? Kind::Right : Kind::Left;
    if (is_right(c) || (inside && c == UTF8PROC_BIDI_CLASS_NSM)) {
      inside = true;
    } else if (inside && c == UTF8PROC_BIDI_CLASS_WS) {
      waiting += letter;
      continue;
    } else {
      if (inside) out += mark;
      inside = false;
      other = true;
    }
    out.append(waiting).append(letter);
    waiting.clear();
  }
  return (first == Kind::Right && other ? std::string(mark) : std::string()) + out + waiting;
}

}  // namespace headwater
