#include <filesystem>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "base/files.h"
#include "image/image.h"
#include "support/scratch_folder.h"

namespace headwater {
namespace {

Image plain(int width, int height, std::uint8_t level) {
  return {width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(width * height * 3), level)};
}

Tensor pixels(const std::string& config, const Image& image, DType dtype = DType::Float32) {
  return ImageProcessor(Config::parse(config, "p.json")).pixels(image, dtype);
}

template <class E>
void expect_config_refused(const std::string& config, const std::string& part) {
  try {
    ImageProcessor(Config::parse(config, "p.json"));
    ADD_FAILURE() << "accepted " << config;
  } catch (const E& e) {
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << part << " not in: " << e.what();
  }
}

TEST(ImageProcessor, DefaultsOfTheClasses) {
  // Level 255 rescales to 1 and normalises to (1 - 0.5) / 0.5.
  for (const char* config : {"{}", R"({"feature_extractor_type":"ViTFeatureExtractor"})",
                             R"({"image_processor_type":"ViTImageProcessorFast"})",
                             R"({"image_processor_type":"DeiTImageProcessor"})",
                             R"({"feature_extractor_type":"DeiTFeatureExtractor"})"}) {
    const Tensor out = pixels(config, plain(50, 30, 255), DType::Float64);
    EXPECT_EQ(out.shape(), (Shape{3, 224, 224}));
    EXPECT_EQ(out.dtype(), DType::Float64);
    EXPECT_EQ(out.at(12345), 1.0);
  }
}

TEST(ImageProcessor, CropsTheMiddle) {
  Image image = plain(5, 4, 0);
  for (std::size_t i = 0; i < 20; ++i) image.rgb[3 * i] = static_cast<std::uint8_t>(i);
  const ImageProcessor processor(
      Config::parse(R"({"do_resize":false,"do_center_crop":true,"crop_size":[2,3]})", "p.json"));
  const Image out = processor.crop(image);
  ASSERT_EQ(out.width, 3);
  ASSERT_EQ(out.height, 2);
  for (const auto& [at, level] : {std::pair{0, 6}, {1, 7}, {2, 8}, {3, 11}, {5, 13}})
    EXPECT_EQ(out.rgb[static_cast<std::size_t>(at) * 3], level) << at;
}

TEST(ImageProcessor, SaysWhatAPictureLoses) {
  const auto lost = [](const char* config, int width, int height) {
    return ImageProcessor(Config::parse(config, "p.json")).fitting(plain(width, height, 0));
  };
  EXPECT_EQ(lost(R"({"size":64})", 300, 300), "");
  EXPECT_EQ(lost(R"({"size":64})", 303, 300), "") << "nobody sees that";
  EXPECT_EQ(lost(R"({"size":64})", 640, 400), "squeezed from 640 × 400 to 64 × 64 pixels");
  const char* cut = R"({"size":{"shortest_edge":80},"do_center_crop":true,"crop_size":64})";
  EXPECT_EQ(lost(cut, 100, 100), "cut to its middle, 64 % of it");
  EXPECT_EQ(lost(cut, 200, 100), "cut to its middle, 32 % of it") << "64² of 160 × 80";
  EXPECT_EQ(lost(R"({"size":80,"do_center_crop":true,"crop_size":64})", 640, 400),
            "squeezed from 640 × 400 to 80 × 80 pixels, then cut to its middle, 64 % of it");
  EXPECT_EQ(lost(R"({"do_resize":false})", 640, 400), "");
}

TEST(ImageProcessor, AMeanForAllChannels) {
  const Tensor out =
      pixels(R"({"size":2,"do_rescale":false,"image_mean":5,"image_std":[1,2,5]})", plain(2, 2, 15));
  EXPECT_EQ(out.to_doubles(), (std::vector<double>{10, 10, 10, 10, 5, 5, 5, 5, 2, 2, 2, 2}));
}

TEST(ImageProcessor, ShortestEdge) {
  const std::string config = R"({"size":{"shortest_edge":10}})";
  EXPECT_EQ(pixels(config, plain(20, 33, 0)).shape(), (Shape{3, 16, 10}));
  EXPECT_EQ(pixels(config, plain(33, 20, 0)).shape(), (Shape{3, 10, 16}));
  EXPECT_THROW(pixels(R"({"size":{"shortest_edge":8000}})", plain(1, 60000, 0)), InputError);
}

TEST(ImageProcessor, RefusesWhatItDoesNotKnow) {
  expect_config_refused<Unsupported>(R"({"image_processor_type":"CLIPImageProcessor"})",
                                     "CLIPImageProcessor");
  expect_config_refused<Unsupported>(R"({"resample":4})", "box");
  expect_config_refused<Unsupported>(R"({"resample":5})", "Hamming");
  expect_config_refused<FormatError>(R"({"resample":6})", "0 to 5");
  expect_config_refused<FormatError>(R"({"resample":-1})", "0 to 5");
  for (const char* size : {"0", "-3", "8193", "1.5", "[1]", "[1,2,3]", "{}", R"({"height":3})", R"("224")",
                           R"({"shortest_edge":3,"longest_edge":9})", R"({"height":0,"width":3})", "1e9"})
    expect_config_refused<FormatError>(std::string(R"({"size":)") + size + "}", "key size");
  expect_config_refused<FormatError>(R"({"crop_size":"a"})", "key crop_size");
  for (const char* mean : {"[1,2]", "[1,2,\"3\"]", "\"a\"", "{}"})
    expect_config_refused<FormatError>(std::string(R"({"image_mean":)") + mean + "}", "three numbers");
  expect_config_refused<FormatError>(R"({"image_std":[1,0,1]})", "other than 0");
  expect_config_refused<FormatError>(R"({"do_resize":1})", "do_resize");
}

TEST(ImageProcessor, LoadsFromAFolder) {
  const testing::ScratchFolder scratch;
  const std::string folder = scratch.path();
  EXPECT_THROW(ImageProcessor::load(folder), FormatError);
  write_file(folder + "/preprocessor_config.json", R"({"size":4})");
  EXPECT_EQ(ImageProcessor::load(folder)->pixels(plain(9, 9, 0), DType::Float32).shape(), (Shape{3, 4, 4}));
}

}  // namespace
}  // namespace headwater
