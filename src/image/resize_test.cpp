#include <numeric>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "image/image.h"

namespace headwater {
namespace {

constexpr Resample all[] = {Resample::Nearest, Resample::Lanczos, Resample::Bilinear, Resample::Bicubic};

Image of_one_level(int width, int height, std::uint8_t level) {
  return {width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(width * height * 3), level)};
}

TEST(Resize, AConstantStaysConstant) {
  for (const Resample resample : all)
    for (const std::uint8_t level : {std::uint8_t{0}, std::uint8_t{77}, std::uint8_t{255}}) {
      const Image out = resize(of_one_level(13, 7, level), 5, 40, resample);
      EXPECT_EQ(out.rgb, of_one_level(5, 40, level).rgb);
    }
}

TEST(Resize, TheSameSizeIsACopy) {
  Image image = of_one_level(4, 3, 0);
  std::iota(image.rgb.begin(), image.rgb.end(), std::uint8_t{1});
  for (const Resample resample : all) EXPECT_EQ(resize(image, 4, 3, resample).rgb, image.rgb);
}

TEST(Resize, HalvingByBilinearWeighsThreeToOne) {
  // Columns 0, 100, 200, 40: the triangle of half-width 2 around the edge of two columns gives the weights
  // 3/8, 3/8, 1/8 of what lies inside, normalised to 3/7, 3/7, 1/7.
  Image image{4, 1, {}};
  for (const int level : {0, 100, 200, 40})
    image.rgb.insert(image.rgb.end(), 3, static_cast<std::uint8_t>(level));
  const Image out = resize(image, 2, 1, Resample::Bilinear);
  EXPECT_EQ(out.rgb[0], 71);   // (3·0 + 3·100 + 1·200)/7 = 71.4
  EXPECT_EQ(out.rgb[3], 117);  // (1·100 + 3·200 + 3·40)/7 = 117.1
}

TEST(Resize, RefusesImpossibleSizes) {
  for (const Resample resample : all) {
    EXPECT_THROW(resize(of_one_level(2, 2, 0), 0, 1, resample), InputError);
    EXPECT_THROW(resize(of_one_level(2, 2, 0), 1, -1, resample), InputError);
    EXPECT_THROW(resize({}, 1, 1, resample), InputError);
    EXPECT_THROW(resize(of_one_level(2, 2, 0), 1 << 16, 1 << 16, resample), InputError);
  }
}

}  // namespace
}  // namespace headwater
