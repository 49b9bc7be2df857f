// A picture as SVG text: one self-contained file on a white background, for screens, dark pages and print. It
// can draw any text; characters that XML forbids are first made visible.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "drawing/colours.h"

namespace headwater {

struct Point {
  double x = 0, y = 0;
};

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
};

struct TextStyle {
  enum class Anchor { Start, Middle, End };
  Anchor anchor = Anchor::Start;
  double size = 12;
  bool bold = false;
  Rgb colour{0x1c, 0x26, 0x30};
  bool upwards = false;     // turned to be read from below; Chinese, Japanese and Korean letters are stacked
  bool from_right = false;  // a word in a right-to-left line: its brackets are mirrored
};

struct LineStyle {
  Rgb colour{0x1c, 0x26, 0x30};
  double width = 1;
  std::string dashes;  // as in stroke-dasharray; empty: a solid line
  double opacity = 1;
};

class Svg {
 public:
  Svg(double width, double height, std::string_view title);

  double width() const { return width_; }
  double height() const { return height_; }

  // A `tip` is the text shown when the pointer is over the shape.
  void rect(const Box& box, Rgb fill, std::string_view tip = {});
  void line(Point from, Point to, const LineStyle& style, std::string_view tip = {});
  void polyline(const std::vector<Point>& points, const LineStyle& style);
  void polygon(const std::vector<Point>& points, Rgb fill, double opacity, std::string_view tip = {});
  // The direction in which a curve leaves its ends: upright, or level where it goes sideways.
  enum class Leaves { Upright, Level };
  void curve(Point from, Point to, Leaves leaves, const LineStyle& style, std::string_view tip);
  void image(const Box& box, std::string_view png, std::string_view tip);
  void cells(const Box& box, std::string_view png);  // an image whose pixels are drawn as they are
  void tip(const Box& box, std::string_view tip);    // an invisible area with a tip
  void text(Point at, std::string_view text, const TextStyle& style = {});

  // The whole file; it contains `metadata` (JSON) for programs.
  std::string str(std::string_view metadata) const;

 private:
  void upright(Point at, const std::vector<std::string>& letters, TextStyle style);

  double width_, height_;
  std::string title_, body_;
};

// Text and attribute values for XML: escaped, and without characters that it forbids.
std::string xml_text(std::string_view text);
// The approximate width of a text in a sans-serif face of this size, and the part of a text that fits, with …
// for the rest.
double drawn_width(std::string_view text, double size);
std::string cut_to_width(std::string_view text, double size, double width);

}  // namespace headwater
