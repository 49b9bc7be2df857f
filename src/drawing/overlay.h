// An image model's result over the picture that the model saw: one weight per patch, interpolated to every
// pixel.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <headwater/report.h>

#include "image/image.h"

namespace headwater {

// The weights of the patches in a layer, [side, side] row by row, from the row the output was read from.
std::vector<double> patch_weights(const Report& report, const Attribution& attribution, Index layer);

// Interpolates values [rows, columns] to [height, width], linear between the centres of the cells and
// constant beyond the outermost (torch's align_corners = false).
struct GridSize {
  Index rows, columns;
};
std::vector<double> bilinear(std::span<const double> values, GridSize from, GridSize to);

// Draws the weights in colour over the picture, most of whose own colour is removed, with `scale` pixels for
// each of the picture's. The strongest patch is the darkest; without weight the picture shows through.
Image overlay(const Image& picture, std::span<const double> weights, int scale);

// The scale for panels of about 320 pixels; 1 if the picture is large.
int panel_scale(const Image& picture);

// The PNG with the reports' run record in a text chunk named headwater.
std::string png_with_record(std::string png, std::span<const Report> reports);

// Throws InputError unless these are explanations of one picture by the same methods.
void require_one_picture(std::span<const Report> reports);

}  // namespace headwater
