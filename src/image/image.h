// Images: decoded PNG and JPEG, and the preprocessing a preprocessor_config.json asks for.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <headwater/tensor.h>

#include "checkpoint/config.h"

namespace headwater {

// 8-bit RGB, row-major, [height, width, 3].
struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
};

// Decodes by content, not by file name. Grey becomes RGB, alpha is dropped as PIL's convert("RGB") does,
// EXIF orientation is honoured. Throws FormatError naming the file; sizes are checked before any pixel
// is allocated (at most 2^26 pixels).
Image decode_image(std::span<const std::byte> bytes, const std::string& where);
Image read_image(const std::string& path);
std::string encode_png(const Image& image);  // for reports

enum class Resample { Nearest = 0, Lanczos = 1, Bilinear = 2, Bicubic = 3 };  // PIL's numbers
// PIL's Image.resize with its antialiasing, within one 8-bit level.
Image resize(const Image& image, int width, int height, Resample resample);

// As preprocessor_config.json says: resize (size, or shortest_edge), centre crop, rescale, normalise.
class ImageProcessor {
 public:
  static std::shared_ptr<const ImageProcessor> load(const std::string& folder);  // model folder
  explicit ImageProcessor(const Config& config);
  // What the model sees, before rescaling (for overlays), and the pixels [C, height, width].
  Image crop(const Image& image) const;
  Image crop(const Image& image, Resample resample) const;  // the same place of a mask: nearest
  // What a picture loses by it, in words: its proportions, or its edges. Empty: neither.
  std::string fitting(const Image& image) const;
  Tensor pixels(const Image& image, DType dtype) const;

 private:
  struct Extent {
    int width, height;
  };
  Extent resized(const Image& image) const;
  bool do_resize_, do_center_crop_, do_rescale_, do_normalize_;
  int resize_width_ = 0, resize_height_ = 0, shortest_edge_ = 0;
  int crop_width_ = 0, crop_height_ = 0;
  Resample resample_;
  double rescale_factor_;
  std::vector<double> mean_, std_;
};

}  // namespace headwater
