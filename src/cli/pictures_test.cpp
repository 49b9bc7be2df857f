#include "cli/pictures.h"

#include <algorithm>
#include <cstdlib>
#include <span>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <headwater/error.h>

#include "image/image.h"

namespace headwater {
namespace {

// The text, large and black on white, as pixels.
Image shown(const std::string& text) {
  const std::string png =
      picture_of_svg(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"60\" height=\"50\" "
                                 "font-family=\"sans-serif\"><rect width=\"60\" height=\"50\" fill=\"#fff\"/>"
                                 "<text x=\"10\" y=\"40\" font-size=\"36\">{}</text></svg>",
                                 text),
                     "png");
  return decode_image(std::as_bytes(std::span(png)), "png");
}

struct Inks {
  int dark = 0, coloured = 0;
};

Inks inks_of(const Image& image) {
  Inks inks;
  for (std::size_t i = 0; i < image.rgb.size(); i += 3) {
    const auto [low, high] = std::minmax({image.rgb[i], image.rgb[i + 1], image.rgb[i + 2]});
    if (high < 64) ++inks.dark;
    if (high - low > 64) ++inks.coloured;
  }
  return inks;
}

TEST(Pictures, HaveTwoPixelsForEachOfTheDrawings) {
  const Image image = shown("H");
  EXPECT_EQ(image.width, 120);
  EXPECT_EQ(image.height, 100);
  const Inks letter = inks_of(image);
  EXPECT_GT(letter.dark, 300);
  EXPECT_EQ(letter.coloured, 0) << "no fringes of colour around letters";
}

TEST(Pictures, EmojiHaveTheirColours) {
  if (std::system("fc-list :color=true family 2>/dev/null | grep -qi emoji") != 0)
    GTEST_SKIP() << "no font of coloured emoji is installed";
  EXPECT_GT(inks_of(shown("😀")).coloured, 300);
}

TEST(Pictures, WhatIsNoDrawingIsRefused) {
  EXPECT_THROW(picture_of_svg("<svg", "png"), InternalError);
}

}  // namespace
}  // namespace headwater
