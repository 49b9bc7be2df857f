// Text on a raster picture, for labels of panels. It knows ASCII; any other character is drawn as a box.
#pragma once

#include <string_view>

#include "drawing/colours.h"
#include "image/image.h"

namespace headwater {

struct Corner {
  int left = 0, top = 0;
};

int pixel_text_width(std::string_view text, int scale);  // 6 · scale for each character
void draw_pixel_text(Image& onto, Corner at, std::string_view text, int scale, Rgb colour);

// Draws a line at scale 2, or at scale 1 if it is wider than `width`; what still does not fit is cut. The
// line takes 18 rows in both cases.
void draw_fitting_text(Image& onto, Corner at, std::string_view text, int width, Rgb colour);

}  // namespace headwater
