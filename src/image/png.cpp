// PNG through libpng, brought to 8-bit RGB as PIL's convert("RGB") does: palettes are looked up, 1-, 2- and
// 4-bit grey is spread to 0 … 255, 16-bit colour keeps its upper byte, alpha and tRNS are dropped. 16-bit
// grey is the exception: PIL clips it at 255 instead of scaling, and so do we: models were trained on what
// PIL gave them.
#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>
#include <headwater/error.h>
#include <png.h>

#include "image/codecs.h"

namespace headwater {
namespace {

// What libpng works on. Plain data, because libpng leaves by longjmp: no function that calls setjmp, and
// nothing between it and the jump, holds an object with a destructor.
struct PngJob {
  png_structp png = nullptr;
  png_infop info = nullptr;
  const std::byte* at = nullptr;
  std::size_t left = 0;
  std::array<char, 120> message{};
  png_uint_32 width = 0, height = 0;
  int bits = 0;  // of a stored pixel
  bool grey16 = false;
  png_bytep exif = nullptr;
  png_uint_32 exif_bytes = 0;
};

void on_error(png_structp png, png_const_charp message) {
  auto* job = static_cast<PngJob*>(png_get_error_ptr(png));
  std::snprintf(job->message.data(), job->message.size(), "%s", message);
  png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}

void on_read(png_structp png, png_bytep to, std::size_t bytes) {
  auto* job = static_cast<PngJob*>(png_get_io_ptr(png));
  if (bytes > job->left) png_error(png, "the file ends too early");
  std::memcpy(to, job->at, bytes);
  job->at += bytes;
  job->left -= bytes;
}

// Reads up to the pixels and asks for the conversions. False after an error, which is in job.message.
bool read_head(PngJob& job) {
  job.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &job, on_error, on_warning);
  if (job.png == nullptr) return false;
  if (setjmp(png_jmpbuf(job.png)) != 0) return false;  // NOLINT(cert-err52-cpp): libpng's only way
  job.info = png_create_info_struct(job.png);
  if (job.info == nullptr) return false;
  png_set_read_fn(job.png, &job, on_read);
  png_read_info(job.png, job.info);
  job.width = png_get_image_width(job.png, job.info);
  job.height = png_get_image_height(job.png, job.info);
  const int depth = png_get_bit_depth(job.png, job.info);
  job.bits = depth * png_get_channels(job.png, job.info);
  job.grey16 = depth == 16 && png_get_color_type(job.png, job.info) == PNG_COLOR_TYPE_GRAY;
  png_get_eXIf_1(job.png, job.info, &job.exif_bytes, &job.exif);
  png_set_interlace_handling(job.png);
  if (!job.grey16) {
    png_set_palette_to_rgb(job.png);
    png_set_expand_gray_1_2_4_to_8(job.png);
    png_set_strip_16(job.png);
    png_set_strip_alpha(job.png);
    png_set_gray_to_rgb(job.png);
  }
  png_read_update_info(job.png, job.info);
  return png_get_rowbytes(job.png, job.info) == std::size_t{job.width} * (job.grey16 ? 2U : 3U);
}

bool read_rows(PngJob& job, png_bytepp rows) {
  if (setjmp(png_jmpbuf(job.png)) != 0) return false;  // NOLINT(cert-err52-cpp)
  png_read_image(job.png, rows);
  return true;
}

// Frees what libpng holds, whichever way the decoder is left.
class PngReader {
 public:
  explicit PngReader(std::span<const std::byte> bytes) {
    job.at = bytes.data();
    job.left = bytes.size();
  }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
  ~PngReader() { png_destroy_read_struct(&job.png, &job.info, nullptr); }

  [[noreturn]] void fail(const std::string& where) const {
    throw FormatError(fmt::format("{}: expected a valid PNG image, found: {}", where,
                                  job.message[0] == '\0' ? "libpng failed" : job.message.data()));
  }

  PngJob job;
};

}  // namespace

Decoded decode_png(std::span<const std::byte> bytes, const std::string& where) {
  PngReader reader(bytes);
  PngJob& job = reader.job;
  if (!read_head(job)) reader.fail(where);
  constexpr double deflate_most = 1032;  // bytes out of one byte
  check_claim({.width = job.width,
               .height = job.height,
               .bytes = bytes.size(),
               .pixels_per_byte = deflate_most * 8 / job.bits},
              where);
  Decoded decoded;
  if (job.exif != nullptr)
    decoded.orientation = exif_orientation(std::as_bytes(std::span(job.exif, job.exif_bytes)));

  const std::size_t width = job.width;
  const std::size_t height = job.height;
  const std::size_t row_bytes = png_get_rowbytes(job.png, job.info);
  std::vector<std::uint8_t> pixels(height * row_bytes);
  std::vector<png_bytep> rows(height);
  for (std::size_t y = 0; y < height; ++y) rows[y] = pixels.data() + y * row_bytes;
  if (!read_rows(job, rows.data())) reader.fail(where);

  if (job.grey16) {
    std::vector<std::uint8_t> rgb(width * height * 3);
    for (std::size_t i = 0; i < width * height; ++i)
      std::fill_n(rgb.data() + 3 * i, 3, pixels[2 * i] != 0 ? std::uint8_t{255} : pixels[2 * i + 1]);
    pixels = std::move(rgb);
  }
  decoded.image = {static_cast<int>(width), static_cast<int>(height), std::move(pixels)};
  return decoded;
}

std::string encode_png(const Image& image) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(image.width);
  header.height = static_cast<png_uint_32>(image.height);
  header.format = PNG_FORMAT_RGB;
  const auto pixels = static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
  const bool sound = image.width > 0 && image.height > 0 && image.rgb.size() == pixels * 3;
  png_alloc_size_t size = sound ? PNG_IMAGE_PNG_SIZE_MAX(header) : 0;
  std::string bytes(size, '\0');
  // The simplified interface keeps its jumps to itself.
  if (!sound || png_image_write_to_memory(&header, bytes.data(), &size, 0, image.rgb.data(), 0, nullptr) == 0)
    throw InternalError(fmt::format("encode_png: expected {} x {} pixels, found {} bytes {}", image.width,
                                    image.height, image.rgb.size(), header.message));
  bytes.resize(size);
  return bytes;
}

}  // namespace headwater
