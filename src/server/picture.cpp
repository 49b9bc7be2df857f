#include "server/picture.h"

#include <fmt/format.h>
#include <headwater/error.h>
#include <sys/mman.h>
#include <unistd.h>

namespace headwater {

namespace {

constexpr std::string_view png_begins = "\x89PNG\r\n\x1a\n";

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

// The frame header of a JPEG, behind segments of any other kind.
std::optional<PictureSize> size_of_jpeg(std::string_view bytes) {
  for (std::size_t at = 2; at + 9 <= bytes.size();) {
    if (bytes[at] != '\xff') return {};
    const auto marker = static_cast<unsigned char>(bytes[at + 1]);
    if (marker == 0xff) {  // filling
      ++at;
      continue;
    }
    const bool frame = marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
    if (frame) return PictureSize{big_endian(bytes.substr(at + 7, 2)), big_endian(bytes.substr(at + 5, 2))};
    at += 2 + big_endian(bytes.substr(at + 2, 2));
  }
  return {};
}

int base64_value(char digit) {
  if (digit >= 'A' && digit <= 'Z') return digit - 'A';
  if (digit >= 'a' && digit <= 'z') return digit - 'a' + 26;
  if (digit >= '0' && digit <= '9') return digit - '0' + 52;
  return digit == '+' ? 62 : digit == '/' ? 63 : -1;
}

}  // namespace

std::string bytes_of_base64(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char digit : text) {
    const int value = base64_value(digit);
    if (value < 0) throw InputError("image: expected base64 of a PNG or JPEG, found another character");
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xff);
  }
  return bytes;
}

std::optional<PictureSize> size_of_picture(std::string_view bytes) {
  if (bytes.starts_with(png_begins) && bytes.size() >= 24)
    return PictureSize{big_endian(bytes.substr(16, 4)), big_endian(bytes.substr(20, 4))};
  if (bytes.starts_with("\xff\xd8")) return size_of_jpeg(bytes);
  return {};
}

PictureFile::PictureFile(std::string_view text, std::uint64_t max_pixels) {
  if (text.starts_with("data:")) {
    const std::size_t comma = text.find(";base64,");
    if (comma > 64)  // or none
      throw InputError(
          "image: expected data:image/png;base64,… or data:image/jpeg;base64,…, found another URL");
    text.remove_prefix(comma + 8);
  }
  const std::string bytes = bytes_of_base64(text);
  const std::optional<PictureSize> size = size_of_picture(bytes);
  if (!size) throw InputError("image: expected a PNG or JPEG, found something else");
  if (size->width * size->height > max_pixels)
    throw InputError(fmt::format("image: expected at most {} pixels, found {} x {}; make it smaller",
                                 max_pixels, size->width, size->height));
  name_ = bytes.starts_with(png_begins) ? "picture.png" : "picture.jpg";
  file_ = ::memfd_create("picture", MFD_CLOEXEC);
  if (file_ < 0) throw InternalError("image: the system gives no memory for a file");
  path_ = fmt::format("/proc/self/fd/{}", file_);
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t written = ::write(file_, bytes.data() + at, bytes.size() - at);
    if (written <= 0) {
      ::close(file_);
      throw InternalError("image: the system gives no memory for a file");
    }
    at += static_cast<std::size_t>(written);
  }
}

PictureFile::~PictureFile() {
  ::close(file_);
}

}  // namespace headwater
