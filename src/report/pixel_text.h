// Words on a raster picture: labels of panels. ASCII; any other character is drawn as a box.
#pragma once

#include <string_view>

#include "image/image.h"
#include "report/colours.h"

namespace headwater {

struct Corner {
  int left = 0, top = 0;
};

int pixel_text_width(std::string_view text, int scale);  // 6 · scale for each character
void draw_pixel_text(Image& onto, Corner at, std::string_view text, int scale, Rgb colour);

// Two pixels for one of the face's, or one if the text is wider than `width` otherwise; what still does not
// fit is cut. The line takes 18 rows either way.
void draw_fitting_text(Image& onto, Corner at, std::string_view text, int width, Rgb colour);

}  // namespace headwater
