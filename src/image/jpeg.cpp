// JPEG through libjpeg-turbo with its default (accurate) transform and upsampling, which PIL uses as well.
// Four components are taken for Adobe's inverted CMYK, as PIL does, and brought to RGB by
//   r = (255 - k) - (255 - k) · c / 255
// A file that ends too early is an error here, where libjpeg alone would paint the rest grey.
#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdio>

#include <fmt/format.h>
#include <headwater/error.h>
#include <jpeglib.h>
// After jpeglib.h, whose types it needs.
#include <jerror.h>

#include "image/codecs.h"

namespace headwater {
namespace {

constexpr int exif_marker = JPEG_APP0 + 1;
constexpr int max_scans = 500;  // a progressive file can ask for endless work with few bytes

// What libjpeg works on. Plain data, because libjpeg leaves by longjmp: no function that calls setjmp, and
// nothing between it and the jump, holds an object with a destructor.
struct JpegJob {
  jpeg_decompress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg_progress_mgr progress{};
  std::jmp_buf back{};
  std::array<char, JMSG_LENGTH_MAX> message{};
  const unsigned char* bytes = nullptr;
  std::size_t size = 0;
};

JpegJob& job_of(j_common_ptr jpeg) {
  return *static_cast<JpegJob*>(jpeg->client_data);
}

[[noreturn]] void on_error(j_common_ptr jpeg) {
  JpegJob& job = job_of(jpeg);
  job.errors.format_message(jpeg, job.message.data());
  std::longjmp(job.back, 1);  // NOLINT(cert-err52-cpp): libjpeg's only way
}

void on_message(j_common_ptr jpeg, int level) {
  if (level < 0 && jpeg->err->msg_code == JWRN_JPEG_EOF) on_error(jpeg);
}

void on_progress(j_common_ptr jpeg) {
  JpegJob& job = job_of(jpeg);
  if (job.jpeg.input_scan_number <= max_scans) return;
  std::snprintf(job.message.data(), job.message.size(), "more than %d scans", max_scans);
  std::longjmp(job.back, 1);  // NOLINT(cert-err52-cpp)
}

// Reads up to the pixels and chooses the output. False after an error, which is in job.message.
bool read_head(JpegJob& job) {
  job.jpeg.err = jpeg_std_error(&job.errors);
  job.jpeg.client_data = &job;
  job.errors.error_exit = on_error;
  job.errors.emit_message = on_message;
  job.progress.progress_monitor = on_progress;
  if (setjmp(job.back) != 0) return false;  // NOLINT(cert-err52-cpp)
  jpeg_create_decompress(&job.jpeg);
  job.jpeg.progress = &job.progress;
  jpeg_mem_src(&job.jpeg, job.bytes, job.size);
  jpeg_save_markers(&job.jpeg, exif_marker, 0xFFFF);
  jpeg_read_header(&job.jpeg, TRUE);
  // Without a known colour space no conversion exists; its default output is then the input.
  if (job.jpeg.num_components == 1)
    job.jpeg.out_color_space = JCS_GRAYSCALE;
  else
    job.jpeg.out_color_space = job.jpeg.num_components == 4 ? JCS_CMYK : JCS_RGB;
  return true;
}

// Reads all rows, each of `stride` bytes. The loop's counter lives in the job, not on the stack.
bool read_rows(JpegJob& job, unsigned char* pixels, std::size_t stride) {
  if (setjmp(job.back) != 0) return false;  // NOLINT(cert-err52-cpp)
  jpeg_start_decompress(&job.jpeg);
  while (job.jpeg.output_scanline < job.jpeg.output_height) {
    JSAMPROW row = pixels + job.jpeg.output_scanline * stride;
    jpeg_read_scanlines(&job.jpeg, &row, 1);
  }
  return true;
}

// Frees what libjpeg holds, whichever way the decoder is left.
class JpegReader {
 public:
  explicit JpegReader(std::span<const std::byte> bytes) {
    job.bytes = reinterpret_cast<const unsigned char*>(bytes.data());
    job.size = bytes.size();
  }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;
  ~JpegReader() { jpeg_destroy_decompress(&job.jpeg); }

  [[noreturn]] void fail(const std::string& where) const {
    throw FormatError(fmt::format("{}: expected a valid JPEG image, found: {}", where, job.message.data()));
  }

  int orientation() const {
    constexpr std::array<unsigned char, 6> exif{'E', 'x', 'i', 'f', 0, 0};
    for (auto* marker = job.jpeg.marker_list; marker != nullptr; marker = marker->next) {
      const std::span data(marker->data, marker->data_length);
      if (marker->marker != exif_marker || data.size() < exif.size()) continue;
      if (std::equal(exif.begin(), exif.end(), data.begin()))
        return exif_orientation(std::as_bytes(data.subspan(exif.size())));
    }
    return 1;
  }

  JpegJob job;
};

std::uint8_t product_255(int a, int b) {
  const int scaled = a * b + 128;
  return static_cast<std::uint8_t>(((scaled >> 8) + scaled) >> 8);
}

std::vector<std::uint8_t> rgb_of(const std::vector<std::uint8_t>& pixels, std::size_t components) {
  std::vector<std::uint8_t> rgb(pixels.size() / components * 3);
  for (std::size_t i = 0; i < rgb.size() / 3; ++i)
    for (std::size_t c = 0; c < 3; ++c) {
      if (components == 1) {
        rgb[3 * i + c] = pixels[i];
      } else {  // inverted: the stored k is 255 - k
        const int white = pixels[4 * i + 3];
        rgb[3 * i + c] = static_cast<std::uint8_t>(white - product_255(255 - pixels[4 * i + c], white));
      }
    }
  return rgb;
}

}  // namespace

Decoded decode_jpeg(std::span<const std::byte> bytes, const std::string& where) {
  JpegReader reader(bytes);
  JpegJob& job = reader.job;
  if (!read_head(job)) reader.fail(where);
  const auto components = static_cast<std::size_t>(job.jpeg.num_components);
  if (components != 1 && components != 3 && components != 4)
    throw Unsupported(fmt::format("{}: JPEG with {} components; convert it to RGB", where, components));
  // Huffman codes take at least one bit for each block of 64 pixels; arithmetic ones may take less.
  check_claim({.width = job.jpeg.image_width,
               .height = job.jpeg.image_height,
               .bytes = bytes.size(),
               .pixels_per_byte = job.jpeg.arith_code != 0 ? 1e6 : 8 * 64},
              where);
  Decoded decoded;
  decoded.orientation = reader.orientation();
  const std::size_t stride = job.jpeg.image_width * components;
  std::vector<std::uint8_t> pixels(job.jpeg.image_height * stride);
  if (!read_rows(job, pixels.data(), stride)) reader.fail(where);
  decoded.image = {static_cast<int>(job.jpeg.image_width), static_cast<int>(job.jpeg.image_height),
                   components == 3 ? std::move(pixels) : rgb_of(pixels, components)};
  return decoded;
}

}  // namespace headwater
