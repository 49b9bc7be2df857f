#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "image/codecs.h"

namespace headwater {
namespace {

Image checkered(int width, int height) {
  Image image{width, height, {}};
  for (int i = 0; i < width * height * 3; ++i) image.rgb.push_back(static_cast<std::uint8_t>(i * 37 % 256));
  return image;
}

Image decode(const std::string& bytes) {
  return decode_image(std::as_bytes(std::span(bytes)), "f");
}

template <class E = FormatError>
void expect_refused(const std::string& bytes, const std::string& part) {
  try {
    decode(bytes);
    ADD_FAILURE() << "accepted, but expected: " << part;
  } catch (const E& e) {
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << part << " not in: " << e.what();
    EXPECT_TRUE(std::string_view(e.what()).starts_with("f: ")) << e.what();
  }
}

// A JPEG cut after its frame header: `components` of 8 bits, one table of ones.
std::string jpeg_head(int width, int height, int components, bool progressive = false) {
  const auto two = [](int value) {
    return std::string{static_cast<char>(value >> 8), static_cast<char>(value & 255)};
  };
  std::string bytes = "\xFF\xD8\xFF\xDB" + two(67) + std::string(1, '\0') + std::string(64, '\1');
  bytes += std::string("\xFF") + (progressive ? "\xC2" : "\xC0") + two(8 + 3 * components) + "\x08" +
           two(height) + two(width) + static_cast<char>(components);
  for (int c = 1; c <= components; ++c) bytes += std::string{static_cast<char>(c), '\x11', '\0'};
  return bytes;
}

TEST(Png, RoundTrip) {
  for (const auto& [width, height] : {std::pair{1, 1}, std::pair{17, 5}, std::pair{3, 200}}) {
    const Image image = checkered(width, height);
    const Image back = decode(encode_png(image));
    EXPECT_EQ(back.width, width);
    EXPECT_EQ(back.height, height);
    EXPECT_EQ(back.rgb, image.rgb);
  }
}

TEST(Png, EncodeRefusesWrongSizes) {
  EXPECT_THROW(encode_png({}), InternalError);
  EXPECT_THROW(encode_png({2, 2, std::vector<std::uint8_t>(11)}), InternalError);
}

TEST(Png, CutAnywhereIsAnError) {
  const std::string png = encode_png(checkered(9, 8));
  // The last 12 bytes are the end chunk, which the pixels do not need.
  for (std::size_t n = 8; n + 12 < png.size(); ++n) expect_refused(png.substr(0, n), "expected");
  expect_refused(png.substr(0, 40), "the file ends too early");
}

TEST(Png, BrokenChecksumIsAnError) {
  std::string png = encode_png(checkered(9, 8));
  png[20] = '\x7F';  // in the header's height
  expect_refused(png, "IHDR");
}

TEST(Decode, RefusesOtherContent) {
  expect_refused("", "PNG or JPEG");
  expect_refused("GIF89a", "PNG or JPEG");
  EXPECT_THROW(read_image("/nonexistent.png"), FormatError);
}

TEST(Jpeg, CutShortIsAnError) {
  expect_refused("\xFF\xD8\xFF", "valid JPEG");
  expect_refused("\xFF\xD8\xFF\xD9", "valid JPEG");
  expect_refused(jpeg_head(8, 8, 3), "Premature end");
}

TEST(Jpeg, TwoComponentsAreUnsupported) {
  const std::string scan("\xFF\xDA\0\x0A\2\1\0\2\0\0\x3F\0", 12);
  expect_refused<Unsupported>(jpeg_head(8, 8, 2) + scan, "2 components");
}

TEST(Jpeg, HugeClaimsAreRefusedBeforeAllocation) {
  const std::string scan("\xFF\xDA\0\x08\1\1\0\0\x3F\0", 10);
  expect_refused(jpeg_head(65000, 65000, 1) + scan, "at most 67108864");
  expect_refused(jpeg_head(8000, 8000, 1) + scan, "expected more data");
}

TEST(Jpeg, EndlessScansAreRefused) {
  // One block whose only code means "no difference", in as many progressive scans as wanted.
  const std::string table = std::string("\xFF\xC4\0\x14\0\1", 6) + std::string(16, '\0');
  const std::string scan("\xFF\xDA\0\x08\1\1\0\0\0\0\x7F", 11);
  std::string bytes = jpeg_head(8, 8, 1, true) + table;
  for (int i = 0; i < 5; ++i) bytes += scan;
  EXPECT_EQ(decode(bytes + "\xFF\xD9").rgb, std::vector<std::uint8_t>(8 * 8 * 3, 128));
  for (int i = 0; i < 600; ++i) bytes += scan;
  expect_refused(bytes + "\xFF\xD9", "more than 500 scans");
}

TEST(Png, HugeClaimsAreRefusedBeforeAllocation) {
  // Heads with right checksums, of 65535 x 65535 and of 8000 x 8000 grey pixels, and an empty IDAT.
  const std::string magic = "\x89PNG\r\n\x1A\n";
  const std::string rest("\0\0\0\0IDAT\x35\xAF\x06\x1E", 12);
  expect_refused(magic +
                     std::string("\000\000\000\015\111\110\104\122\000\000\377\377\000\000\377\377\010\000"
                                 "\000\000\000\223\156\206\214",
                                 25) +
                     rest,
                 "at most 67108864");
  expect_refused(magic +
                     std::string("\000\000\000\015\111\110\104\122\000\000\037\100\000\000\037\100\010\000"
                                 "\000\000\000\043\232\362\050",
                                 25) +
                     rest,
                 "expected more data");
}

TEST(Claims, SizesAreCheckedBeforeAllocation) {
  EXPECT_NO_THROW(check_claim({.width = 65536, .height = 1024, .bytes = 1, .pixels_per_byte = 1e9}, "f"));
  for (const auto& [width, height] : {std::pair{0U, 1U}, std::pair{1U, 0U}, std::pair{65537U, 1U},
                                      std::pair{1U, 65537U}, std::pair{65536U, 1025U}})
    EXPECT_THROW(check_claim({.width = width, .height = height, .bytes = 1, .pixels_per_byte = 1e9}, "f"),
                 FormatError);
  EXPECT_NO_THROW(check_claim({.width = 64, .height = 8, .bytes = 1, .pixels_per_byte = 512}, "f"));
  EXPECT_THROW(check_claim({.width = 64, .height = 9, .bytes = 1, .pixels_per_byte = 512}, "f"), FormatError);
}

// The orientation tag in little- and big-endian TIFF.
std::string tiff(bool big_endian, int tag, int type, int value, int entries = 1) {
  const auto put = [&](std::string& to, int number, int width) {
    for (int i = 0; i < width; ++i)
      to += static_cast<char>((number >> (8 * (big_endian ? width - 1 - i : i))) & 255);
  };
  std::string bytes = big_endian ? std::string("MM\0*", 4) : std::string("II*\0", 4);
  put(bytes, 8, 4);
  put(bytes, entries, 2);
  put(bytes, tag, 2);
  put(bytes, type, 2);
  put(bytes, 1, 4);
  put(bytes, value, 2);
  put(bytes, 0, 2);
  return bytes;
}

int orientation(const std::string& bytes) {
  return exif_orientation(std::as_bytes(std::span(bytes)));
}

TEST(Exif, Orientation) {
  for (const bool big_endian : {false, true}) {
    for (int value = 1; value <= 8; ++value) EXPECT_EQ(orientation(tiff(big_endian, 0x112, 3, value)), value);
    EXPECT_EQ(orientation(tiff(big_endian, 0x112, 3, 0)), 1);
    EXPECT_EQ(orientation(tiff(big_endian, 0x112, 3, 9)), 1);
    EXPECT_EQ(orientation(tiff(big_endian, 0x113, 3, 6)), 1);
    EXPECT_EQ(orientation(tiff(big_endian, 0x112, 4, 6)), 1);
    EXPECT_EQ(orientation(tiff(big_endian, 0x112, 3, 6, 65535)), 6);
    EXPECT_EQ(orientation(tiff(big_endian, 0x112, 3, 6, 0)), 1);
  }
}

TEST(Exif, BrokenStructuresAreIgnored) {
  const std::string good = tiff(false, 0x112, 3, 6);
  for (std::size_t n = 0; n < good.size(); ++n) EXPECT_EQ(orientation(good.substr(0, n)), 1) << n;
  std::string far = good;
  far[4] = far[5] = far[6] = far[7] = '\xFF';
  EXPECT_EQ(orientation(far), 1);
  std::string odd = good;
  odd[0] = 'X';
  EXPECT_EQ(orientation(odd), 1);
}

}  // namespace
}  // namespace headwater
