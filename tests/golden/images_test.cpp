// Decoding, resizing and preprocessing against PIL and transformers; images/make.py made the numbers.
#include <cmath>
#include <cstring>
#include <sstream>

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/json.h"
#include "image/image.h"
#include "support/source_folder.h"

namespace headwater {
namespace {

const std::string images_folder = std::string(HEADWATER_SOURCE_DIR) + "/tests/golden/images/";

Json cases(const char* kind) {
  return read_json_file(images_folder + "cases.json").at(kind);
}

Image read_ppm(const std::string& name) {
  const std::string bytes = read_file(images_folder + name);
  std::istringstream in(bytes);
  std::string magic;
  int most = 0;
  Image image;
  in >> magic >> image.width >> image.height >> most;
  const auto start = static_cast<std::size_t>(in.tellg()) + 1;
  image.rgb.assign(bytes.begin() + static_cast<std::ptrdiff_t>(start), bytes.end());
  return image;
}

// Expects equal sizes and levels at most `tolerance` apart.
void expect_near(const Image& found, const Image& expected, int tolerance, const std::string& name) {
  ASSERT_EQ(found.width, expected.width) << name;
  ASSERT_EQ(found.height, expected.height) << name;
  ASSERT_EQ(found.rgb.size(), expected.rgb.size()) << name;
  int worst = 0;
  for (std::size_t i = 0; i < found.rgb.size(); ++i)
    worst = std::max(worst, std::abs(found.rgb[i] - expected.rgb[i]));
  EXPECT_LE(worst, tolerance) << name;
}

TEST(ImageGolden, DecodesAsPil) {
  const Json all = cases("decode");
  ASSERT_GE(all.size(), 40U);
  for (const std::string name : all) {
    // Another libjpeg may round its transform differently; PNG leaves no choice.
    const int tolerance = name.ends_with(".jpg") ? 1 : 0;
    expect_near(read_image(images_folder + name), read_ppm(name + ".ppm"), tolerance, name);
  }
}

TEST(ImageGolden, ResizesAsPil) {
  const Json all = cases("resize");
  ASSERT_GE(all.size(), 40U);
  for (const Json& c : all) {
    const Image source = read_ppm(c.at("source"));
    const auto resample = static_cast<Resample>(c.at("resample").get<int>());
    const Image found = resize(source, c.at("width"), c.at("height"), resample);
    expect_near(found, read_ppm(c.at("expected")), 0, c.at("expected"));
  }
}

TEST(ImageGolden, PreprocessesAsTransformers) {
  const Json all = cases("process");
  ASSERT_GE(all.size(), 8U);
  for (const Json& c : all) {
    const std::string name = c.at("expected");
    const ImageProcessor processor(Config::parse(c.at("config").dump(), name));
    const Tensor found = processor.pixels(read_ppm(c.at("source")), DType::Float64);
    ASSERT_EQ(found.shape(), Shape(c.at("shape").get<std::vector<Index>>())) << name;
    const std::string bytes = read_file(images_folder + name);
    std::vector<float> expected(bytes.size() / sizeof(float));
    std::memcpy(expected.data(), bytes.data(), bytes.size());
    ASSERT_EQ(found.size(), static_cast<Index>(expected.size())) << name;
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_EQ(found.at(static_cast<Index>(i)), expected[i]) << name << " at " << i;
  }
}

}  // namespace
}  // namespace headwater
