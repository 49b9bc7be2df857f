// Code point properties: utf8proc's tables, corrected where the reference uses another version of Unicode,
// see Note [Unicode versions].
#include "text/unicode.h"

#include <utf8proc.h>

#include "text/unicode_versions.h"

namespace headwater {
namespace {

utf8proc_category_t category(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

bool within(char32_t c, char32_t first, char32_t last) {
  return c >= first && c <= last;
}

}  // namespace

bool is_space(char32_t c) {
  if (c < 0x80) return c == ' ' || within(c, 0x09, 0x0D);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || within(c, 0x2000, 0x200A) || c == 0x2028 || c == 0x2029 ||
         c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_number(char32_t c) {
  if (c < 0x80) return within(c, '0', '9');
  const auto kind = category(c);
  return kind == UTF8PROC_CATEGORY_ND || kind == UTF8PROC_CATEGORY_NL || kind == UTF8PROC_CATEGORY_NO ||
         among(c, numbers_after_15);
}

bool is_punctuation(char32_t c) {
  if (c < 0x80) return within(c, 33, 47) || within(c, 58, 64) || within(c, 91, 96) || within(c, 123, 126);
  const auto kind = category(c);
  if (kind < UTF8PROC_CATEGORY_PC || kind > UTF8PROC_CATEGORY_PO) return c == 0x166D || c == 0x111C9;
  return !among(c, punctuation_after_8);
}

bool is_control(char32_t c) {
  if (c < 0x80) return c < 0x20 || c == 0x7F;
  const auto kind = category(c);
  return kind == UTF8PROC_CATEGORY_CC || kind == UTF8PROC_CATEGORY_CO ||
         (kind == UTF8PROC_CATEGORY_CF && !among(c, controls_after_8));
}

bool is_nonspacing_mark(char32_t c) {
  if (c < 0x300) return false;
  return c == 0x1734 || (category(c) == UTF8PROC_CATEGORY_MN && !among(c, nonspacing_after_8));
}

bool is_combining_mark(char32_t c) {
  if (c < 0x300) return false;
  const auto kind = category(c);
  if (kind == UTF8PROC_CATEGORY_MN || kind == UTF8PROC_CATEGORY_MC || kind == UTF8PROC_CATEGORY_ME)
    return !among(c, marks_after_9);
  return c == 0x1CF2 || c == 0x1CF3;
}

bool is_word(char32_t c) {
  if (c < 0x80) return within(c, '0', '9') || within(c, 'A', 'Z') || within(c, 'a', 'z') || c == '_';
  // Join_Control, and the symbols among Other_Alphabetic (circled and squared letters).
  if (c == 0x200C || c == 0x200D || within(c, 0x24B6, 0x24E9) || within(c, 0x1F130, 0x1F149) ||
      within(c, 0x1F150, 0x1F169) || within(c, 0x1F170, 0x1F189))
    return true;
  const auto kind = category(c);
  return (kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_ME) || kind == UTF8PROC_CATEGORY_ND ||
         kind == UTF8PROC_CATEGORY_NL || kind == UTF8PROC_CATEGORY_PC || among(c, words_after_15);
}

bool is_cjk_ideograph(char32_t c) {
  return within(c, 0x4E00, 0x9FFF) || within(c, 0x3400, 0x4DBF) || within(c, 0x20000, 0x2A6DF) ||
         within(c, 0x2A700, 0x2B73F) || within(c, 0x2B740, 0x2B81F) || within(c, 0x2B920, 0x2CEAF) ||
         within(c, 0xF900, 0xFAFF) || within(c, 0x2F800, 0x2FA1F);
}

std::u32string_view lowercase(char32_t c, char32_t (&buffer)[2]) {
  buffer[0] = c;
  if (c < 0x80) {
    if (within(c, 'A', 'Z')) buffer[0] = c + 32;
    return {buffer, 1};
  }
  // The only code point whose unconditional lower case is two: LATIN CAPITAL LETTER I WITH DOT ABOVE.
  if (c == 0x130) {
    buffer[0] = 'i';
    buffer[1] = 0x307;
    return {buffer, 2};
  }
  for (const LowerRange& range : lower_after_15) {
    if (!within(c, range.first, range.last)) continue;
    buffer[0] = range.lower + (c - range.first);
    return {buffer, 1};
  }
  buffer[0] = static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
  return {buffer, 1};
}

}  // namespace headwater
