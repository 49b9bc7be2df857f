// Expected forms are those of UAX #15 and of the Unicode Character Database.
#include "text/unicode.h"

#include <gtest/gtest.h>

#include "text/byte_level.h"

namespace headwater {
namespace {

std::string form(std::string_view text, NormalForm to) {
  AlignedText result = aligned(text);
  to_normal_form(result, to);
  EXPECT_EQ(result.spans.size(), result.text.size());
  return result.text;
}

TEST(NormalForms, FollowTheAnnex) {
  const std::string dotted = "\u1E9B\u0323";  // the annex's example that has all four forms different
  EXPECT_EQ(form(dotted, NormalForm::Nfc), "\u1E9B\u0323");
  EXPECT_EQ(form(dotted, NormalForm::Nfd), "\u017F\u0323\u0307");
  EXPECT_EQ(form(dotted, NormalForm::Nfkc), "\u1E69");
  EXPECT_EQ(form(dotted, NormalForm::Nfkd), "s\u0323\u0307");
  EXPECT_EQ(form("\u212B", NormalForm::Nfc), "\u00C5");  // Angstrom sign
  EXPECT_EQ(form("\uFB01", NormalForm::Nfc), "\uFB01");  // ligature fi has a compatibility form only
  EXPECT_EQ(form("\uFB01", NormalForm::Nfkc), "fi");
  EXPECT_EQ(form("\u1112\u1161\u11AB", NormalForm::Nfc), "\uD55C");  // Hangul
  EXPECT_EQ(form("\uD55C", NormalForm::Nfd), "\u1112\u1161\u11AB");
  EXPECT_EQ(form("\u0958", NormalForm::Nfc), "\u0915\u093C");                       // a composition exclusion
  EXPECT_EQ(form("a\u0301\u0315\u0300b", NormalForm::Nfc), "\u00E1\u0300\u0315b");  // reordered
}

TEST(NormalForms, KeepSpansOfTheOriginal) {
  AlignedText text = aligned("xe\u0301\u00E9y");
  to_normal_form(text, NormalForm::Nfc);
  ASSERT_EQ(text.text, "x\u00E9\u00E9y");
  // A composed character takes the span of its first part.
  EXPECT_EQ(text.spans, (std::vector<ByteSpan>{{0, 1}, {1, 2}, {1, 2}, {4, 6}, {4, 6}, {6, 7}}));
  to_normal_form(text, NormalForm::Nfd);
  EXPECT_EQ(text.spans,
            (std::vector<ByteSpan>{{0, 1}, {1, 2}, {1, 2}, {1, 2}, {4, 6}, {4, 6}, {4, 6}, {6, 7}}));
}

TEST(Changes, BeyondTheTextPointAtItsEnd) {
  AlignedText text = aligned("ab");
  apply_changes(text, {{U'x', 1}, {U'y', -5}, {U'z', 0}});
  EXPECT_EQ(text.text, "xyz");
  EXPECT_EQ(text.spans, (std::vector<ByteSpan>{{0, 0}, {0, 1}, {1, 2}}));
}

TEST(Properties, OfCodePoints) {
  for (const char32_t c : {U' ', U'\t', U'\v', char32_t{0x85}, char32_t{0xA0}, char32_t{0x3000}})
    EXPECT_TRUE(is_space(c));
  for (const char32_t c : {char32_t{0x200B}, char32_t{0xFEFF}, U'a', char32_t{0x1F}})
    EXPECT_FALSE(is_space(c));
  for (const char32_t c : {U'$', U'_', U'~', U'\u2014', U'\u3002'}) EXPECT_TRUE(is_punctuation(c));
  for (const char32_t c : {U'a', U'\u20AC', U'\u00B0'}) EXPECT_FALSE(is_punctuation(c));
  for (const char32_t c : {U'7', U'\u0664', U'\u00BD', U'\u2167', U'\u3007'}) EXPECT_TRUE(is_number(c));
  for (const char32_t c : {U'\u0301', U'\u200D', U'\u24B6', U'\u6F22', U'_', U'9'}) EXPECT_TRUE(is_word(c));
  for (const char32_t c : {U'-', U'\u00BD', U' ', char32_t{0x1F600}}) EXPECT_FALSE(is_word(c));
  for (const char32_t c : {char32_t{7}, char32_t{0xAD}, char32_t{0xE000}, char32_t{0x200E}})
    EXPECT_TRUE(is_control(c));
  EXPECT_TRUE(is_nonspacing_mark(0x301));
  EXPECT_FALSE(is_nonspacing_mark(0x903));  // spacing
  EXPECT_TRUE(is_combining_mark(0x903));
}

TEST(Properties, LowerCase) {
  char32_t buffer[2];
  EXPECT_EQ(lowercase(U'Z', buffer), U"z");
  EXPECT_EQ(lowercase(U'\u00DF', buffer), U"\u00DF");
  EXPECT_EQ(lowercase(U'\u0130', buffer), U"i\u0307");
  EXPECT_EQ(lowercase(U'\u03A3', buffer), U"\u03C3");  // never the final form
  EXPECT_EQ(lowercase(0x16EA1, buffer), std::u32string(1, char32_t{0x16EBC}));
}

TEST(ByteLevel, AlphabetIsThatOfGpt2) {
  EXPECT_EQ(character_of_byte('!'), U'!');
  EXPECT_EQ(character_of_byte(' '), U'\u0120');
  EXPECT_EQ(character_of_byte('\n'), U'\u010A');
  EXPECT_EQ(character_of_byte(0x7F), U'\u0121');
  EXPECT_EQ(character_of_byte(0xAD), U'\u0143');
  for (unsigned b = 0; b < 256; ++b)
    EXPECT_EQ(byte_of_character(character_of_byte(static_cast<unsigned char>(b))), b);
  EXPECT_EQ(byte_of_character(U' '), std::nullopt);
  EXPECT_EQ(byte_of_character(0x10000), std::nullopt);
}

}  // namespace
}  // namespace headwater
