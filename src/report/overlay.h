// An image model's result over the picture the model saw: one weight per patch, carried to every pixel.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <headwater/report.h>

#include "image/image.h"

namespace headwater {

// The weights of the patches, [side, side] row by row: what the row the output was read from holds in a
// layer.
std::vector<double> patch_weights(const Report& report, const Attribution& attribution, Index layer);

// Values [rows, columns] to [height, width], linear between the middles of the cells and constant beyond the
// outermost (what torch calls align_corners = false).
struct GridSize {
  Index rows, columns;
};
std::vector<double> bilinear(std::span<const double> values, GridSize from, GridSize to);

// The weights in colour over the picture with most of its colour taken out, `scale` pixels for each of the
// picture's. The strongest patch is the darkest; what has no weight shows the picture.
Image overlay(const Image& picture, std::span<const double> weights, int scale);

// Several pixels for one, unless the picture is large: panels of about 320 pixels.
int panel_scale(const Image& picture);

// A PNG that carries the run record of these in a text chunk named headwater.
std::string png_with_record(std::string png, std::span<const Report> reports);

// Throws InputError unless these are explanations of one picture by the same methods.
void require_one_picture(std::span<const Report> reports);

}  // namespace headwater
