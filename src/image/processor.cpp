// preprocessor_config.json of ViT and DeiT, in the form of feature extractors and of image processors:
//   resize to size, cut crop_size from the middle, x · rescale_factor, (x - mean) / std per channel.
// What a file leaves out has the default of its class.
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/files.h"
#include "base/json.h"
#include "base/utf8.h"
#include "image/image.h"

namespace headwater {
namespace {

constexpr Index max_edge = 8192;
constexpr std::int64_t max_resized_pixels = std::int64_t{1} << 26U;

struct Defaults {
  bool center_crop;
  int resize, crop;
  Resample resample;
};

Defaults defaults_of(const Config& config) {
  const std::string kind =
      config.text("image_processor_type", config.text("feature_extractor_type", "ViTImageProcessor"));
  for (const std::string_view end :
       {"FeatureExtractor", "ImageProcessor", "ImageProcessorFast", "ImageProcessorPil"}) {
    if (kind == fmt::format("ViT{}", end)) return {false, 224, 224, Resample::Bilinear};
    if (kind == fmt::format("DeiT{}", end)) return {true, 256, 224, Resample::Bicubic};
  }
  throw Unsupported(
      fmt::format("{}: image processor {} is not supported, only ViTImageProcessor and "
                  "DeiTImageProcessor (and their FeatureExtractor, Fast and Pil forms)",
                  config.where(), printable(kind)));
}

struct Size {
  int width = 0, height = 0, shortest_edge = 0;
};

// 224 | [height, width] | {"height": …, "width": …} | {"shortest_edge": …}
Size size_of(const Config& config, const std::string& key, int otherwise) {
  if (!config.has(key)) return {.width = otherwise, .height = otherwise, .shortest_edge = 0};
  const Json& json = config.json().at(key);
  const auto fail = [&](std::string_view expected) {
    throw FormatError(fmt::format("{}: key {}: expected {}, found {}", config.where(), key, expected,
                                  printable(json.dump())));
  };
  const auto edge = [&](const Json& value) {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() < 1 ||
        value.get<std::uint64_t>() > std::uint64_t{max_edge})
      fail(fmt::format("lengths from 1 to {}", max_edge));
    return value.get<int>();
  };
  if (json.is_number()) return {.width = edge(json), .height = edge(json), .shortest_edge = 0};
  if (json.is_array() && json.size() == 2)
    return {.width = edge(json[1]), .height = edge(json[0]), .shortest_edge = 0};
  if (json.is_object() && json.contains("height") && json.contains("width"))
    return {.width = edge(json["width"]), .height = edge(json["height"]), .shortest_edge = 0};
  if (json.is_object() && json.size() == 1 && json.contains("shortest_edge"))
    return {.width = 0, .height = 0, .shortest_edge = edge(json["shortest_edge"])};
  fail("a length, {\"height\": …, \"width\": …} or {\"shortest_edge\": …}");
  return {};
}

// One number for each channel; a single number stands for all.
std::vector<double> channels_of(const Config& config, const std::string& key) {
  if (!config.has(key)) return std::vector<double>(3, 0.5);
  const Json& json = config.json().at(key);
  if (json.is_number()) return std::vector<double>(3, json.get<double>());
  const auto is_number = [](const Json& value) { return value.is_number(); };
  if (!json.is_array() || json.size() != 3 || !std::all_of(json.begin(), json.end(), is_number))
    throw FormatError(fmt::format("{}: key {}: expected three numbers, found {}", config.where(), key,
                                  printable(json.dump())));
  return json.get<std::vector<double>>();
}

Resample resample_of(const Config& config, Resample otherwise) {
  const Index number = config.integer("resample", static_cast<Index>(otherwise));
  if (number == 4 || number == 5)
    throw Unsupported(
        fmt::format("{}: resample {} ({}) is not supported, only 0 nearest, 1 Lanczos, 2 bilinear "
                    "and 3 bicubic",
                    config.where(), number, number == 4 ? "box" : "Hamming"));
  if (number < 0 || number > 5)
    throw FormatError(fmt::format("{}: key resample: expected 0 to 5, found {}", config.where(), number));
  return static_cast<Resample>(number);
}

// The middle of the image; what lies outside of it is black. An odd rest is split as transformers does:
// the smaller half goes before a cut, and the larger half before a border.
Image center_crop(const Image& image, int width, int height) {
  const auto offset = [](int in, int out) { return in >= out ? (in - out) / 2 : -((out - in + 1) / 2); };
  const int left = offset(image.width, width);
  const int top = offset(image.height, height);
  const int first = std::max(0, -left);
  const int last = std::min(width, image.width - left);
  Image out{
      width, height,
      std::vector<std::uint8_t>(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3)};
  for (int y = std::max(0, -top); y < std::min(height, image.height - top); ++y) {
    const auto from = static_cast<std::size_t>(y + top) * static_cast<std::size_t>(image.width) +
                      static_cast<std::size_t>(first + left);
    const auto to =
        static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(first);
    std::copy_n(image.rgb.data() + from * 3, static_cast<std::size_t>(last - first) * 3,
                out.rgb.data() + to * 3);
  }
  return out;
}

}  // namespace

std::shared_ptr<const ImageProcessor> ImageProcessor::load(const std::string& folder) {
  const std::string path = folder + "/preprocessor_config.json";
  if (!file_exists(path))
    throw FormatError(
        fmt::format("{}: expected this file, which says how a picture is resized and normalised, found none; "
                    "fetch it from where the model comes from, or write it with Python: "
                    "transformers.AutoImageProcessor.from_pretrained(ORIGINAL).save_pretrained('{}')",
                    path, folder));
  return std::make_shared<const ImageProcessor>(Config::read(path));
}

ImageProcessor::ImageProcessor(const Config& config) {
  const Defaults defaults = defaults_of(config);
  do_resize_ = config.boolean("do_resize", true);
  do_center_crop_ = config.boolean("do_center_crop", defaults.center_crop);
  do_rescale_ = config.boolean("do_rescale", true);
  do_normalize_ = config.boolean("do_normalize", true);
  const Size size = size_of(config, "size", defaults.resize);
  resize_width_ = size.width;
  resize_height_ = size.height;
  shortest_edge_ = size.shortest_edge;
  const Size crop = size_of(config, "crop_size", defaults.crop);
  crop_width_ = crop.shortest_edge > 0 ? crop.shortest_edge : crop.width;
  crop_height_ = crop.shortest_edge > 0 ? crop.shortest_edge : crop.height;
  resample_ = resample_of(config, defaults.resample);
  rescale_factor_ = config.number("rescale_factor", 1.0 / 255);
  mean_ = channels_of(config, "image_mean");
  std_ = channels_of(config, "image_std");
  for (const double std : std_)
    if (static_cast<float>(std) == 0.0F)
      throw FormatError(
          fmt::format("{}: key image_std: expected numbers other than 0, found {}", config.where(), std));
}

Image ImageProcessor::crop(const Image& image) const {
  return crop(image, resample_);
}

ImageProcessor::Extent ImageProcessor::resized(const Image& image) const {
  if (!do_resize_) return {image.width, image.height};
  int width = resize_width_;
  int height = resize_height_;
  if (shortest_edge_ > 0) {  // the longer edge keeps the proportions, rounded down
    const auto [small, large] = std::minmax(image.width, image.height);
    const auto longer = std::int64_t{shortest_edge_} * large / std::max(small, 1);
    if (longer * shortest_edge_ > max_resized_pixels)
      throw InputError(
          fmt::format("image of {} x {} pixels: expected a less elongated one, which stays within {} "
                      "pixels when its shortest edge becomes {}",
                      image.width, image.height, max_resized_pixels, shortest_edge_));
    width = image.width <= image.height ? shortest_edge_ : static_cast<int>(longer);
    height = image.width <= image.height ? static_cast<int>(longer) : shortest_edge_;
  }
  return {width, height};
}

std::string ImageProcessor::fitting(const Image& image) const {
  constexpr double noticed = 0.02;
  const auto [width, height] = resized(image);
  const double before = static_cast<double>(image.width) / image.height,
               after = static_cast<double>(width) / height;
  std::string lost;
  if (std::abs(after / before - 1) > noticed)
    lost = fmt::format("squeezed from {} × {} to {} × {} pixels", image.width, image.height, width, height);
  if (!do_center_crop_) return lost;
  const double seen = std::min(1.0, static_cast<double>(crop_width_) / width) *
                      std::min(1.0, static_cast<double>(crop_height_) / height);
  if (seen < 1 - noticed)
    lost += fmt::format("{}cut to its middle, {:.0f} % of it", lost.empty() ? "" : ", then ", 100 * seen);
  return lost;
}

Image ImageProcessor::crop(const Image& image, Resample resample) const {
  const auto [width, height] = resized(image);
  Image result = do_resize_ ? resize(image, width, height, resample) : image;
  return do_center_crop_ ? center_crop(result, crop_width_, crop_height_) : result;
}

// In float32 whatever the working type, as transformers does, so that a float64 run sees the same input.
Tensor ImageProcessor::pixels(const Image& image, DType dtype) const {
  const Image seen = crop(image);
  const auto area = static_cast<std::size_t>(seen.width) * static_cast<std::size_t>(seen.height);
  Tensor result({3, seen.height, seen.width}, DType::Float32);  // [C, height, width]
  auto* to = result.data<float>();
  for (std::size_t c = 0; c < 3; ++c) {
    std::array<float, 256> level{};  // the number for each 8-bit level
    for (std::size_t i = 0; i < level.size(); ++i) {
      level[i] = static_cast<float>(i);
      if (do_rescale_) level[i] = static_cast<float>(static_cast<double>(i) * rescale_factor_);
      if (do_normalize_) level[i] = (level[i] - static_cast<float>(mean_[c])) / static_cast<float>(std_[c]);
    }
    for (std::size_t i = 0; i < area; ++i) to[c * area + i] = level[seen.rgb[i * 3 + c]];
  }
  return result.to(dtype);
}

}  // namespace headwater
