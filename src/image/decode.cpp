// Decoding by content, and the eight EXIF orientations: the tag says which corner of the scene the first
// stored pixel shows, so turning back is
//   2 mirror   3 half turn   4 flip   5 transpose   6 quarter turn clockwise   7 transverse   8 anticlockwise
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/files.h"
#include "image/codecs.h"

namespace headwater {
namespace {

constexpr std::uint64_t max_side = std::uint64_t{1} << 16U;
constexpr std::uint64_t max_decoded_pixels = std::uint64_t{1} << 26U;
constexpr std::size_t max_file = std::size_t{1} << 28U;

bool starts_with(std::span<const std::byte> bytes, std::initializer_list<unsigned char> magic) {
  return bytes.size() >= magic.size() &&
         std::equal(magic.begin(), magic.end(), bytes.begin(),
                    [](unsigned char m, std::byte b) { return std::byte{m} == b; });
}

// Integers of a TIFF structure in its byte order; the caller keeps within the size.
class TiffReader {
 public:
  TiffReader(std::span<const std::byte> bytes, bool big_endian) : bytes_(bytes), big_endian_(big_endian) {}
  std::uint32_t integer(std::size_t at, std::size_t width) const {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < width; ++i)
      value =
          (value << 8U) | std::to_integer<std::uint32_t>(bytes_[big_endian_ ? at + i : at + width - 1 - i]);
    return value;
  }

 private:
  std::span<const std::byte> bytes_;
  bool big_endian_;
};

Image oriented(Image image, int orientation) {
  if (orientation <= 1) return image;
  const bool turned = orientation >= 5;
  Image out{.width = turned ? image.height : image.width,
            .height = turned ? image.width : image.height,
            .rgb = std::vector<std::uint8_t>(image.rgb.size())};
  const bool from_right = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const bool from_below = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  auto* to = out.rgb.data();
  for (int y = 0; y < out.height; ++y)
    for (int x = 0; x < out.width; ++x, to += 3) {
      const int along = turned ? y : x;  // column in the stored image, from its left or right
      const int down = turned ? x : y;
      const int column = from_right ? image.width - 1 - along : along;
      const int row = from_below ? image.height - 1 - down : down;
      const auto at = (static_cast<std::size_t>(row) * static_cast<std::size_t>(image.width) +
                       static_cast<std::size_t>(column)) *
                      3;
      std::copy_n(image.rgb.data() + at, 3, to);
    }
  return out;
}

}  // namespace

void check_claim(const ImageClaim& claim, const std::string& where) {
  const auto found = fmt::format("{} x {}", claim.width, claim.height);
  if (claim.width == 0 || claim.height == 0 || claim.width > max_side || claim.height > max_side ||
      claim.width * claim.height > max_decoded_pixels)
    throw FormatError(
        fmt::format("{}: expected an image of 1 to {} pixels each way and at most {} in all, found {}", where,
                    max_side, max_decoded_pixels, found));
  if (static_cast<double>(claim.width * claim.height) >
      claim.pixels_per_byte * static_cast<double>(claim.bytes))
    throw FormatError(
        fmt::format("{}: expected more data for an image of {} pixels, found {} bytes; the file is "
                    "cut short or broken",
                    where, found, claim.bytes));
}

int exif_orientation(std::span<const std::byte> tiff) {
  constexpr std::uint32_t orientation_tag = 0x0112;
  constexpr std::uint32_t type_short = 3;
  constexpr std::size_t entry_bytes = 12;
  if (tiff.size() < 8) return 1;
  const bool big_endian = starts_with(tiff, {'M', 'M', 0, 42});
  if (!big_endian && !starts_with(tiff, {'I', 'I', 42, 0})) return 1;
  const TiffReader reader(tiff, big_endian);
  const std::size_t directory = reader.integer(4, 4);
  if (directory > tiff.size() - 2) return 1;
  const std::size_t first = directory + 2;
  const std::size_t entries =
      std::min<std::size_t>(reader.integer(directory, 2), (tiff.size() - first) / entry_bytes);
  for (std::size_t at = first; at < first + entries * entry_bytes; at += entry_bytes) {
    if (reader.integer(at, 2) != orientation_tag || reader.integer(at + 2, 2) != type_short) continue;
    const auto value = static_cast<int>(reader.integer(at + 8, 2));
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

Image decode_image(std::span<const std::byte> bytes, const std::string& where) {
  Decoded decoded;
  if (starts_with(bytes, {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'}))
    decoded = decode_png(bytes, where);
  else if (starts_with(bytes, {0xFF, 0xD8, 0xFF}))
    decoded = decode_jpeg(bytes, where);
  else
    throw FormatError(
        fmt::format("{}: expected a PNG or JPEG image, found other content; convert it to PNG", where));
  return oriented(std::move(decoded.image), decoded.orientation);
}

Image read_image(const std::string& path) {
  const std::string bytes = read_file(path, max_file);
  return decode_image(std::as_bytes(std::span(bytes)), path);
}

}  // namespace headwater
