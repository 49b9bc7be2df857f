#include "drawing/chart.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "result/sentence.h"

namespace headwater {
namespace {

constexpr double legend_row = 20, legend_sample = 30, legend_gap = 18, legend_size = 12;

std::string legend_name(const Series& entry, double width) {
  return cut_to_width(entry.name, legend_size, width - legend_sample - 6);
}

double entry_width(const Series& entry, double width) {
  return legend_sample + 6 + drawn_width(legend_name(entry, width), legend_size) + legend_gap;
}

void draw_marker(Svg& svg, Marker marker, Point at, Rgb colour, std::string_view tip = {}) {
  constexpr double r = 3.5;
  std::vector<Point> corners;  // relative to the centre
  if (marker == Marker::Circle)
    for (int k = 0; k < 12; ++k) corners.push_back({r * std::cos(k * M_PI / 6), r * std::sin(k * M_PI / 6)});
  if (marker == Marker::Square) corners = {{-r, -r}, {r, -r}, {r, r}, {-r, r}};
  if (marker == Marker::Triangle) corners = {{0, -r - 1}, {r + 0.5, r}, {-r - 0.5, r}};
  if (marker == Marker::Diamond) corners = {{0, -r - 1}, {r + 1, 0}, {0, r + 1}, {-r - 1, 0}};
  if (corners.empty()) return;
  for (Point& corner : corners) corner = {at.x + corner.x, at.y + corner.y};
  svg.polygon(corners, colour, 1, tip);
}

Point beside(Point at, const Series& series) {
  return {at.x + series.aside, at.y};
}

void draw_bars(Svg& svg, const Plot& plot, const Series& series) {
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (!std::isfinite(series.low[i]) || !std::isfinite(series.high[i])) continue;
    const Point low = beside(plot.at(series.x[i], series.low[i]), series),
                high = beside(plot.at(series.x[i], series.high[i]), series);
    const LineStyle thin{.colour = series.colour, .width = 1, .dashes = {}, .opacity = 0.7};
    svg.line(low, high, thin);
    svg.line({low.x - 3, low.y}, {low.x + 3, low.y}, thin);
    svg.line({high.x - 3, high.y}, {high.x + 3, high.y}, thin);
  }
}

void draw_band(Svg& svg, const Plot& plot, const Series& series) {
  std::vector<Point> outline;
  for (std::size_t i = 0; i < series.x.size(); ++i) outline.push_back(plot.at(series.x[i], series.high[i]));
  for (std::size_t i = series.x.size(); i-- > 0;) outline.push_back(plot.at(series.x[i], series.low[i]));
  svg.polygon(outline, series.colour, 0.2);
}

// Calls place(entry, the start of its sample) row by row; returns the height.
template <class Place>
double flow(double width, std::span<const Series> entries, const Place& place) {
  double x = 0, y = 0;
  for (const Series& entry : entries) {
    const double needed = entry_width(entry, width);
    if (x > 0 && x + needed - legend_gap > width) {
      x = 0;
      y += legend_row;
    }
    place(entry, Point{x, y});
    x += needed;
  }
  return y + legend_row;
}

}  // namespace

Rgb series_colour(std::size_t which) {
  static constexpr std::array<Rgb, 10> colours{{{0x1e, 0x6c, 0xb2},    // blue
                                                {0xd9, 0x73, 0x30},    // orange
                                                {0x1c, 0x8a, 0x6a},    // bluish green
                                                {0xb3, 0x44, 0x6c},    // reddish purple
                                                {0x7a, 0x5f, 0xb0},    // violet
                                                {0x8a, 0x6d, 0x00},    // ochre
                                                {0x3f, 0x9b, 0xc4},    // sky blue
                                                {0xa1, 0x4a, 0x1c},    // brown
                                                {0x56, 0x60, 0x6b},    // grey
                                                {0x4b, 0x7d, 0x2a}}};  // green
  return colours[which % colours.size()];
}

Marker series_marker(std::size_t which) {
  constexpr Marker markers[] = {Marker::Circle, Marker::Square, Marker::Triangle, Marker::Diamond};
  return markers[which % std::size(markers)];
}

void draw_colour_bar(Svg& svg, Point at, bool has_sign, const std::string& largest,
                     std::string_view meaning) {
  constexpr int steps = 24;
  constexpr double step = 6, height = 12;
  const std::string low = has_sign ? "−" + largest : "0";
  const double begin = at.x + drawn_width(low, 11) + 10, end = begin + steps * step + 6;
  svg.text({at.x, at.y + 10}, low, small_text());
  for (int k = 0; k < steps; ++k) {
    const double share = (k + 0.5) / steps;
    svg.rect({begin + k * step, at.y, step, height}, colour_of(has_sign ? 2 * share - 1 : share));
  }
  svg.text({end, at.y + 10}, largest, small_text());
  svg.text({end + drawn_width(largest, 11) + 16, at.y + 10}, meaning, small_text());
}

namespace {

constexpr double bolder = 1.08;  // bold letters are this much wider
constexpr double smallest_share = 2.0 / 3, title_size = 16, widest_sheet = 1400;

}  // namespace

void draw_in_room(Svg& svg, Point at, std::string_view text, TextStyle style, double room) {
  if (style.bold) room /= bolder;
  if (const double wide = drawn_width(text, style.size); wide > room)
    style.size *= std::max(smallest_share, room / wide);
  svg.text(at, cut_to_width(text, style.size, room), style);
}

double sheet_width(double content, std::string_view title) {
  const double wanted =
      std::ceil(drawn_width(title, title_size) * bolder * smallest_share) + 1 + 2 * sheet_edge;
  return std::max(content, std::min(wanted, widest_sheet));
}

void draw_sheet(Svg& svg, std::string_view title, std::string_view subtitle, const RunRecord& record) {
  const double room = svg.width() - 2 * sheet_edge;
  draw_in_room(svg, {sheet_edge, 28}, title, {.size = title_size, .bold = true}, room);
  if (!subtitle.empty()) draw_in_room(svg, {sheet_edge, 47}, subtitle, {.colour = soft_ink}, room);
  draw_in_room(svg, {sheet_edge, svg.height() - 12}, record_line(record), small_text(), room);
}

ChartAxis round_axis(std::string label, double low, double high, int most, const std::string& unit) {
  // Beyond, differences are not finite; and of large numbers the next is further off than one.
  constexpr double far = 1e300, next = 1e-9;
  low = std::clamp(low, -far, far);
  high = std::clamp(high, -far, far);
  if (!(high - low > next * std::abs(low))) high = low + std::max(1.0, 2 * next * std::abs(low));
  const double raw = (high - low) / std::max(1, most);
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0})
    if (factor * power >= raw * (1 - 1e-9)) step = factor * power;
  ChartAxis axis{.label = std::move(label)};
  const double first = std::floor(low / step + 1e-9), last = std::ceil(high / step - 1e-9);
  const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
  for (int k = 0; k <= static_cast<int>(last - first); ++k) {
    axis.ticks.push_back((first + k) * step);
    axis.names.push_back(fmt::format("{:.{}f}{}", axis.ticks.back(), decimals, unit));
  }
  return axis;
}

Plot::Plot(Svg& svg, const Box& field, ChartAxis x, ChartAxis y)
    : field_(field), x_(std::move(x)), y_(std::move(y)) {
  const double bottom = field.y + field.height;
  const LineStyle grid{.colour = grid_ink}, frame{.colour = soft_ink};
  for (std::size_t k = 0; k < y_.ticks.size(); ++k) {
    if (y_.names[k].empty()) continue;
    const double on = at(x_.ticks.front(), y_.ticks[k]).y;
    svg.line({field.x, on}, {field.x + field.width, on}, grid);
    svg.text({field.x - 6, on + 4}, y_.names[k], small_text(TextStyle::Anchor::End));
  }
  // As many names as fit beside each other.
  double widest = 0;
  for (const std::string& name : x_.names) widest = std::max(widest, drawn_width(name, 11) + 8);
  const auto every = static_cast<std::size_t>(
      std::ceil(widest * static_cast<double>(x_.ticks.size()) / std::max(1.0, field.width)));
  for (std::size_t k = 0; k < x_.ticks.size(); ++k) {
    if (x_.names[k].empty()) continue;
    const double on = at(x_.ticks[k], y_.ticks.front()).x;
    svg.line({on, bottom}, {on, bottom + 4}, frame);
    if (k % std::max<std::size_t>(1, every) == 0)
      svg.text({on, bottom + 17}, x_.names[k], small_text(TextStyle::Anchor::Middle));
  }
  svg.line({field.x, bottom}, {field.x + field.width, bottom}, frame);
  svg.line({field.x, field.y}, {field.x, bottom}, frame);
  svg.text({field.x + field.width / 2, bottom + 36}, x_.label,
           {.anchor = TextStyle::Anchor::Middle, .size = 12, .colour = soft_ink});
  svg.text({field.x - 44, field.y + field.height / 2}, y_.label,
           {.anchor = TextStyle::Anchor::Middle, .size = 12, .colour = soft_ink, .upwards = true});
}

Point Plot::at(double x, double y) const {
  const auto along = [](const ChartAxis& axis, double value, double length) {
    const double span = axis.ticks.back() - axis.ticks.front();
    const double share = span > 0 ? (value - axis.ticks.front()) / span : 0.5;
    return axis.margin + share * (length - 2 * axis.margin);
  };
  return {field_.x + along(x_, x, field_.width), field_.y + field_.height - along(y_, y, field_.height)};
}

void draw_series(Svg& svg, const Plot& plot, const Series& series) {
  if (!series.low.empty())
    series.spread == Series::Spread::Band ? draw_band(svg, plot, series) : draw_bars(svg, plot, series);
  const LineStyle style{.colour = series.colour, .width = 2, .dashes = series.dashes};
  std::vector<Point> run;
  const auto end_run = [&] {
    if (run.size() > 1) svg.polyline(run, style);
    run.clear();
  };
  const auto place = [&](std::size_t i) { return beside(plot.at(series.x[i], series.y[i]), series); };
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (std::isnan(series.y[i]))
      end_run();
    else
      run.push_back(place(i));
  }
  end_run();
  for (std::size_t i = 0; i < series.x.size(); ++i)
    if (!std::isnan(series.y[i]))
      draw_marker(svg, series.marker, place(i), series.colour, series.tips.empty() ? "" : series.tips[i]);
}

double draw_legend(Svg& svg, Point at, double width, std::span<const Series> entries) {
  return flow(width, entries, [&](const Series& entry, Point place) {
    const double x = at.x + place.x, y = at.y + place.y + legend_row / 2;
    if (!entry.low.empty() && entry.spread == Series::Spread::Band)
      svg.polygon({{x, y - 6}, {x + legend_sample, y - 6}, {x + legend_sample, y + 6}, {x, y + 6}},
                  entry.colour, 0.2);
    svg.line({x, y}, {x + legend_sample, y},
             {.colour = entry.colour, .width = 2, .dashes = entry.dashes, .opacity = 1});
    draw_marker(svg, entry.marker, {x + legend_sample / 2, y}, entry.colour);
    svg.text({x + legend_sample + 6, y + 4}, legend_name(entry, width), {.size = legend_size});
  });
}

double legend_height(double width, std::span<const Series> entries) {
  return flow(width, entries, [](const Series&, Point) {});
}

std::string fields_svg(const ChartFields& chart, const RunRecord& record, std::string_view metadata) {
  constexpr double caption = 26, gap = 30, top = 62, foot = 30;
  const std::size_t count = chart.fields.size(), columns = std::min<std::size_t>(2, count),
                    rows = (count + 1) / 2;
  const double column = Plot::left + chart.width + gap;
  const double row = caption + chart.height + Plot::below + 16;
  const double width = 2 * sheet_edge + static_cast<double>(columns) * column - gap + 12;
  const double legend_room = width - 2 * sheet_edge;
  const double below = top + static_cast<double>(rows) * row;
  Svg svg(width, below + legend_height(legend_room, chart.legend) + foot, chart.title);
  draw_sheet(svg, chart.title, chart.subtitle, record);
  for (std::size_t f = 0; f < count; ++f) {
    const ChartField& field = chart.fields[f];
    const std::size_t line = f / 2;
    const Box box{sheet_edge + static_cast<double>(f % 2) * column + Plot::left,
                  top + static_cast<double>(line) * row + caption, chart.width, chart.height};
    svg.text({box.x, box.y - 9}, field.title, {.size = 13, .bold = true});
    const Plot plot(svg, box, field.x, field.y);
    for (const Series& series : field.series) draw_series(svg, plot, series);
  }
  draw_legend(svg, {sheet_edge, below}, legend_room, chart.legend);
  return svg.str(metadata);
}

}  // namespace headwater
