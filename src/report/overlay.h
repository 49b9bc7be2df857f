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

// Shares of the colour map: (v − min)/(max − min), all 0 if the values are equal; v / max |v| if any is
// negative, so that the sign stays.
std::vector<double> shares_of(const std::vector<double>& values);

// The map in colour over the picture in grey, `scale` pixels for each of the picture's.
Image overlay(const Image& picture, std::span<const double> weights, int scale);

// Several pixels for one, unless the picture is large: panels of about 320 pixels.
int panel_scale(const Image& picture);

// Throws InputError unless these are explanations of one picture by the same methods.
void require_one_picture(std::span<const Report> reports);

}  // namespace headwater
