// Any bytes are either an image that decodes, resizes and encodes, or a FormatError.
#include <cstdint>

#include <headwater/error.h>

#include "image/image.h"

using namespace headwater;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const Image image = decode_image(std::as_bytes(std::span(data, size)), "fuzz");
    if (image.rgb.size() > 300'000) return 0;  // large and slow without being new
    const Image small = resize(image, 5, 7, static_cast<Resample>(size % 4));
    const std::string png = encode_png(small);
    if (decode_image(std::as_bytes(std::span(png)), "encoded").rgb != small.rgb) __builtin_trap();
  } catch (const FormatError&) {
  } catch (const Unsupported&) {
  }
  return 0;
}
