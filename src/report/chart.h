// Charts: axes with round ticks, lines with their spread, a legend. What every picture of numbers shares.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <headwater/report.h>

#include "report/svg.h"

namespace headwater {

// Colours that stay apart for colour-blind readers (after Okabe & Ito, 2008, darkened for white paper), those
// of the page; they repeat after ten. Blue and orange come first, as elsewhere for and against.
Rgb series_colour(std::size_t which);
inline constexpr Rgb soft_ink{0x4c, 0x5b, 0x6b};  // second-rank text
inline constexpr Rgb grid_ink{0xd7, 0xde, 0xe5};

// Text of a second rank: ticks, notes.
constexpr TextStyle small_text(TextStyle::Anchor anchor = TextStyle::Anchor::Start) {
  return {.anchor = anchor, .size = 11, .colour = soft_ink};
}

// A line that is too long is set smaller, by a third at most, before any of it is cut.
void draw_in_room(Svg& svg, Point at, std::string_view text, TextStyle style, double room);

// The edge of a sheet on its left and right, and what stands on every sheet: title and subtitle on top, the
// record at the foot.
inline constexpr double sheet_edge = 16;
// At least so wide that the title needs no cut, though smaller letters.
double sheet_width(double content, std::string_view title);
void draw_sheet(Svg& svg, std::string_view title, std::string_view subtitle, const RunRecord& record);

// "0 ▒▒▒▒ 0.12", or "−0.12 ▒▒▒▒ 0.12" where numbers have a sign, and behind it what the colours mean.
void draw_colour_bar(Svg& svg, Point at, bool has_sign, const std::string& largest, std::string_view meaning);

struct ChartAxis {
  std::string label;
  std::vector<double> ticks;       // ascending; the axis runs from the first to the last
  std::vector<std::string> names;  // of the ticks; empty: none is drawn
  double margin = 0;               // left free before the first and behind the last
};
// Ticks at multiples of 1, 2 or 5 · 10ᵏ that cover low … high, at most about `most`; named with this behind
// them.
ChartAxis round_axis(std::string label, double low, double high, int most, const std::string& unit = "");

// A field with axes on its left and below; values become places in it.
class Plot {
 public:
  // Draws grid, ticks and labels, which take room outside of `field`: see margins below.
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
  double aside = 0;                    // drawn so far to the right, that equal ones can be told apart
  std::vector<std::string> tips = {};  // what the points say, or none
};
Marker series_marker(std::size_t which);  // they repeat after four
// Places where y is NaN are left out.
void draw_series(Svg& svg, const Plot& plot, const Series& series);

// Entries side by side, in rows no wider than `width`; returns the height they take.
double draw_legend(Svg& svg, Point at, double width, std::span<const Series> entries);
double legend_height(double width, std::span<const Series> entries);

// Fields in two columns, then one legend, on a sheet.
struct ChartField {
  std::string title;
  ChartAxis x, y;
  std::vector<Series> series;
};
struct ChartFields {
  std::string title, subtitle;
  std::vector<ChartField> fields;
  std::vector<Series> legend;
  double width = 380, height = 230;  // of a field
};
std::string fields_svg(const ChartFields& chart, const RunRecord& record, std::string_view metadata);

}  // namespace headwater
