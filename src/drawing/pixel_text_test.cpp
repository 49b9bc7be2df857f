#include "drawing/pixel_text.h"

#include <set>

#include <gtest/gtest.h>

namespace headwater {
namespace {

Image white(int width, int height) {
  return {width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(3 * width * height), 255)};
}

bool is_black(const Image& image, int x, int y) {
  return image.rgb[std::size_t{3} * static_cast<std::size_t>(Index{y} * image.width + x)] == 0;
}

// The picture as lines of '#' and '.'.
std::vector<std::string> drawn(const std::string& text, int scale) {
  Image image = white(pixel_text_width(text, scale), 9 * scale);
  draw_pixel_text(image, {0, 0}, text, scale, {0, 0, 0});
  std::vector<std::string> lines;
  for (int y = 0; y < image.height; ++y) {
    lines.emplace_back();
    for (int x = 0; x < image.width; ++x) lines.back() += is_black(image, x, y) ? '#' : '.';
  }
  return lines;
}

TEST(PixelText, DrawsItsFace) {
  EXPECT_EQ(drawn("Lg", 1), (std::vector<std::string>{"#...........", "#...........", "#......####.",
                                                      "#.....#...#.", "#.....#...#.", "#.....#...#.",
                                                      "#####..####.", "..........#.", ".......###.."}));
}

TEST(PixelText, EveryCharacterLooksItsOwn) {
  std::set<std::vector<std::string>> seen;
  for (char c = 0x20; c < 0x7f; ++c) EXPECT_TRUE(seen.insert(drawn(std::string(1, c), 1)).second) << c;
  EXPECT_EQ(drawn("é", 1), drawn("猫", 1)) << "a box for what the face lacks";
  EXPECT_TRUE(seen.insert(drawn("é", 1)).second);
  EXPECT_EQ(pixel_text_width("né", 1), 12) << "one for a character, not for a byte";
}

TEST(PixelText, ScalesByWholePixels) {
  const std::vector<std::string> once = drawn("a", 1), twice = drawn("a", 2);
  for (std::size_t y = 0; y < twice.size(); ++y)
    for (std::size_t x = 0; x < twice[y].size(); ++x) EXPECT_EQ(twice[y][x], once[y / 2][x / 2]);
}

TEST(PixelText, StaysInItsPictureAndItsRoom) {
  Image small = white(10, 4);
  draw_pixel_text(small, {-3, -2}, "WWW", 2, {0, 0, 0});  // reaches beyond every edge
  const auto inked_beyond = [](const std::string& text, int width) {
    Image image = white(200, 18);
    draw_fitting_text(image, {0, 0}, text, width, {0, 0, 0});
    int last = -1;
    for (int y = 0; y < 18; ++y)
      for (int x = 0; x < 200; ++x)
        if (is_black(image, x, y)) last = std::max(last, x);
    return last;
  };
  for (const int width : {100, 60, 30}) {
    EXPECT_LT(inked_beyond("HHHHHHHH", width), width) << "8 · 12, 8 · 6, cut";
    EXPECT_GT(inked_beyond("HHHHHHHH", width), width - 16);
  }
}

}  // namespace
}  // namespace headwater
