// Charts: axes with round ticks, lines with their spread, and a legend, for every picture of numbers.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <headwater/report.h>

#include "drawing/svg.h"

namespace headwater {

// Colours that colour-blind readers can distinguish (after Okabe & Ito, 2008, darkened for white paper). They
// are the page's colours and repeat after ten. Blue and orange come first, as elsewhere for and against.
Rgb series_colour(std::size_t which);
inline constexpr Rgb soft_ink{0x4c, 0x5b, 0x6b};  // secondary text
inline constexpr Rgb grid_ink{0xd7, 0xde, 0xe5};

// Secondary text: ticks and notes.
constexpr TextStyle small_text(TextStyle::Anchor anchor = TextStyle::Anchor::Start) {
  return {.anchor = anchor, .size = 11, .colour = soft_ink};
}

// Draws a line of text; one that is too long is first drawn smaller, by a third at most, and then cut.
void draw_in_room(Svg& svg, Point at, std::string_view text, TextStyle style, double room);

// The left and right margin of a sheet. Every sheet has title and subtitle at the top and the record at the
// bottom.
inline constexpr double sheet_edge = 16;
// The width of a sheet: large enough that the title is not cut, though it may be drawn smaller.
double sheet_width(double content, std::string_view title);
void draw_sheet(Svg& svg, std::string_view title, std::string_view subtitle, const RunRecord& record);

// Draws "0 ▒▒▒▒ 0.12", or "−0.12 ▒▒▒▒ 0.12" if numbers have a sign, followed by the meaning of the colours.
void draw_colour_bar(Svg& svg, Point at, bool has_sign, const std::string& largest, std::string_view meaning);

struct ChartAxis {
  std::string label;
  std::vector<double> ticks;       // ascending; the axis runs from the first to the last
  std::vector<std::string> names;  // names of the ticks; empty: none is drawn
  double margin = 0;               // free space before the first tick and after the last
};
// An axis with ticks at multiples of 1, 2 or 5 · 10ᵏ that cover low … high, about `most` at most; `unit` is
// appended to their names.
ChartAxis round_axis(std::string label, double low, double high, int most, const std::string& unit = "");

// A field with axes on its left and below. It converts values to points.
class Plot {
 public:
  // Draws grid, ticks and labels, which take room outside `field`: see the margins below.
  Plot(Svg& svg, const Box& field, ChartAxis x, ChartAxis y);
  Point at(double x, double y) const;

  static constexpr double left = 56, below = 44;  // room for ticks and labels

 private:
  Box field_;
  ChartAxis x_, y_;
};

enum class Marker { None, Circle, Square, Triangle, Diamond };
struct Series {
  std::string name;
  Rgb colour{};
  std::string dashes;
  Marker marker = Marker::None;
  std::vector<double> x, y;
  std::vector<double> low, high;  // empty: no spread
  enum class Spread { Band, Bars } spread = Spread::Bars;
  double aside = 0;                    // shift to the right, so that equal points remain visible
  std::vector<std::string> tips = {};  // tips of the points, or none
};
Marker series_marker(std::size_t which);  // they repeat after four
// Draws a series; points where y is NaN are left out.
void draw_series(Svg& svg, const Plot& plot, const Series& series);

// Draws entries side by side, in rows no wider than `width`; returns their height.
double draw_legend(Svg& svg, Point at, double width, std::span<const Series> entries);
double legend_height(double width, std::span<const Series> entries);

// A sheet with fields in two columns, then one legend.
struct ChartField {
  std::string title;
  ChartAxis x, y;
  std::vector<Series> series;
};
struct ChartFields {
  std::string title, subtitle;
  std::vector<ChartField> fields;
  std::vector<Series> legend;
  double width = 380, height = 230;  // size of a field
};
std::string fields_svg(const ChartFields& chart, const RunRecord& record, std::string_view metadata);

}  // namespace headwater
