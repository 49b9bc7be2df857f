// The two decoders behind decode_image. Each checks sizes before it allocates, and neither lets a C
// library jump over a C++ object.
#pragma once

#include "image/image.h"

namespace headwater {

struct Decoded {
  Image image;          // as stored
  int orientation = 1;  // EXIF, 1 … 8
};

Decoded decode_png(std::span<const std::byte> bytes, const std::string& where);
Decoded decode_jpeg(std::span<const std::byte> bytes, const std::string& where);

// Throws FormatError unless the image has 1 … 2^16 pixels each way and at most 2^26 in all, and could come
// from so few bytes at all: `pixels_per_byte` is the most that the codec can squeeze into one.
struct ImageClaim {
  std::uint64_t width, height, bytes;
  double pixels_per_byte;
};
void check_claim(const ImageClaim& claim, const std::string& where);

// The orientation tag of a TIFF structure (what follows "Exif\0\0" in a JPEG); 1 if there is none.
int exif_orientation(std::span<const std::byte> tiff);

}  // namespace headwater
