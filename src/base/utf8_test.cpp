#include "base/utf8.h"

#include <gtest/gtest.h>
#include <headwater/error.h>

namespace headwater {
namespace {

// Whether code point c may be encoded: everything up to U+10FFFF but the surrogates.
bool is_scalar(char32_t c) {
  return c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF);
}

TEST(Utf8, EveryCodePointSurvives) {
  std::u32string all;
  for (char32_t c = 0; c <= 0x10FFFF; ++c)
    if (is_scalar(c)) all += c;
  ASSERT_EQ(all.size(), 0x110000U - 2048U);
  std::string encoded;
  for (const char32_t c : all) append_utf8(encoded, c);
  // 128 of one byte, 1920 of two, 61440 of three (without surrogates), 1048576 of four.
  EXPECT_EQ(encoded.size(), 128U + 2 * 1920U + 3 * 61440U + 4 * 1048576U);
  EXPECT_EQ(first_invalid_utf8(encoded), std::nullopt);
  EXPECT_EQ(to_utf32(encoded), all);
}

TEST(Utf8, KnownEncodings) {
  std::string out;
  for (const char32_t c :
       {U'\u007F', U'\u0080', U'\u07FF', U'\u0800', U'\uFFFF', U'\U00010000', U'\U0010FFFF'})
    append_utf8(out, c);
  EXPECT_EQ(out, "\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF\xF0\x90\x80\x80\xF4\x8F\xBF\xBF");
  std::size_t at = 1;
  EXPECT_EQ(next_code_point(out, at), U'\u0080');
  EXPECT_EQ(at, 3U);
}

TEST(Utf8, InvalidSequencesAreFound) {
  struct Case {
    std::string text;
    std::size_t bad;
  };
  for (const Case& c : {Case{"ab\x80", 2},
                        {"\xC0\x80", 0},
                        {"\xC1\xBF", 0},
                        {"a\xC3", 1},
                        {"\xC3(", 0},
                        {"\xE0\x9F\xBF", 0},
                        {"\xE2\x82", 0},
                        {"\xE2(\xA1", 0},
                        {"\xED\xA0\x80", 0},
                        {"\xED\xBF\xBF", 0},
                        {"\xF0\x8F\xBF\xBF", 0},
                        {"\xF0\x90\x80", 0},
                        {"\xF4\x90\x80\x80", 0},
                        {"\xF5\x80\x80\x80", 0},
                        {"\xFF", 0},
                        {"ü\xFE", 2}})
    EXPECT_EQ(first_invalid_utf8(c.text), c.bad) << printable(c.text);
  EXPECT_EQ(first_invalid_utf8(""), std::nullopt);
  EXPECT_EQ(first_invalid_utf8("\xED\x9F\xBF\xEE\x80\x80"),
            std::nullopt);  // the neighbours of the surrogates
  EXPECT_EQ(first_invalid_utf8(std::string_view("\0", 1)), std::nullopt);
}

// All two-byte texts, against the definition: two ASCII bytes, or a lead byte C2 … DF and a continuation.
TEST(Utf8, AllPairsOfBytes) {
  for (int a = 0; a < 256; ++a)
    for (int b = 0; b < 256; ++b) {
      const std::string text{static_cast<char>(a), static_cast<char>(b)};
      const bool valid = (a < 0x80 && b < 0x80) || (a >= 0xC2 && a <= 0xDF && b >= 0x80 && b <= 0xBF);
      ASSERT_EQ(!first_invalid_utf8(text).has_value(), valid) << a << ' ' << b;
    }
}

TEST(Utf8, RequireNamesPlaceByteAndRemedy) {
  EXPECT_NO_THROW(require_utf8("grün", "text"));
  try {
    require_utf8("gr\xFCn", "line 3");
    FAIL() << "accepted";
  } catch (const InputError& e) {
    EXPECT_STREQ(
        e.what(),
        "line 3: expected UTF-8, found an invalid byte 0xFC at byte 2; convert the text, for example with "
        "iconv -f LATIN1 -t UTF-8");
  }
}

TEST(Utf8, PrintableNames) {
  EXPECT_EQ(printable("bert.ü"), "bert.ü");
  EXPECT_EQ(printable(std::string_view("a\0\n\x7F\xFF", 5)), "a\\x00\\x0A\\x7F\\xFF");
  EXPECT_EQ(printable(std::string(200, 'x')), std::string(200, 'x'));
  std::string cut(200, 'x');
  cut.append("…");
  EXPECT_EQ(printable(std::string(201, 'x')), cut);
  std::string wide(199, 'x'), wide_cut(199, 'x');
  wide.append("üy");
  wide_cut.append("ü…");
  EXPECT_EQ(printable(wide), wide_cut);
}

}  // namespace
}  // namespace headwater
