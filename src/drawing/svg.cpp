#include "drawing/svg.h"

#include <cmath>

#include <fmt/format.h>

#include "base/encoding.h"
#include "drawing/reading_order.h"
#include "result/text_width.h"

namespace headwater {
namespace {

constexpr double em_per_column =
    0.56;  // for common sans-serif faces, slightly too wide rather than too narrow

std::string hex(Rgb colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", colour.r, colour.g, colour.b);
}

// Tenths of a pixel are enough, and "12" is shorter than "12.0".
std::string place(double value) {
  const double tenths = std::round(value * 10) / 10;
  return tenths == std::round(tenths) ? fmt::format("{:.0f}", tenths) : fmt::format("{:.1f}", tenths);
}

std::string stroke(const LineStyle& style) {
  std::string out = fmt::format(" stroke=\"{}\" stroke-width=\"{}\"", hex(style.colour), place(style.width));
  if (!style.dashes.empty()) out += fmt::format(" stroke-dasharray=\"{}\"", style.dashes);
  if (style.opacity < 1) out += fmt::format(" stroke-opacity=\"{:.3g}\"", style.opacity);
  return out;
}

std::string points_of(const std::vector<Point>& points) {
  std::string out;
  for (const Point& point : points)
    out += fmt::format("{}{},{}", out.empty() ? "" : " ", place(point.x), place(point.y));
  return out;
}

std::string closed(std::string_view element, std::string_view tip) {
  if (tip.empty()) return "/>\n";
  return fmt::format("><title>{}</title></{}>\n", read_from_left(xml_text(tip)), element);
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string out = html_escaped(terminal_safe(text));
  // U+FFFE and U+FFFF are no characters of XML.
  for (const char* const forbidden : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"})
    for (std::size_t at = out.find(forbidden); at != std::string::npos; at = out.find(forbidden, at))
      out.replace(at, 3, "\xEF\xBF\xBD");
  return out;
}

double drawn_width(std::string_view text, double size) {
  return em_per_column * size * text_width(terminal_safe(text));
}

std::string cut_to_width(std::string_view text, double size, double width) {
  std::string safe = terminal_safe(text);
  if (drawn_width(safe, size) <= width) return safe;
  return fitted(safe, std::max(1, static_cast<int>(width / (em_per_column * size))));
}

Svg::Svg(double width, double height, std::string_view title)
    : width_(width), height_(height), title_(title) {}

void Svg::rect(const Box& box, Rgb fill, std::string_view tip) {
  body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"{}", place(box.x),
                       place(box.y), place(box.width), place(box.height), hex(fill), closed("rect", tip));
}

void Svg::line(Point from, Point to, const LineStyle& style, std::string_view tip) {
  body_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"{}{}", place(from.x), place(from.y),
                       place(to.x), place(to.y), stroke(style), closed("line", tip));
}

void Svg::polyline(const std::vector<Point>& points, const LineStyle& style) {
  body_ += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke-linejoin=\"round\"{}/>\n",
                       points_of(points), stroke(style));
}

void Svg::polygon(const std::vector<Point>& points, Rgb fill, double opacity, std::string_view tip) {
  body_ += fmt::format("<polygon points=\"{}\" fill=\"{}\" fill-opacity=\"{}\"{}", points_of(points),
                       hex(fill), opacity, closed("polygon", tip));
}

void Svg::curve(Point from, Point to, Leaves leaves, const LineStyle& style, std::string_view tip) {
  const Point middle{(from.x + to.x) / 2, (from.y + to.y) / 2};
  const Point first = leaves == Leaves::Upright ? Point{from.x, middle.y} : Point{middle.x, from.y},
              second = leaves == Leaves::Upright ? Point{to.x, middle.y} : Point{middle.x, to.y};
  body_ += fmt::format("<path d=\"M{} {}C{} {} {} {} {} {}\" fill=\"none\"{}{}", place(from.x), place(from.y),
                       place(first.x), place(first.y), place(second.x), place(second.y), place(to.x),
                       place(to.y), stroke(style), closed("path", tip));
}

void Svg::image(const Box& box, std::string_view png, std::string_view tip) {
  body_ += fmt::format(
      "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" href=\"data:image/png;base64,{}\"{}", place(box.x),
      place(box.y), place(box.width), place(box.height), base64(png), closed("image", tip));
}

void Svg::cells(const Box& box, std::string_view png) {
  body_ += fmt::format(
      "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" "
      "image-rendering=\"pixelated\" style=\"image-rendering: optimizeSpeed; image-rendering: pixelated\" "
      "href=\"data:image/png;base64,{}\"/>\n",
      place(box.x), place(box.y), place(box.width), place(box.height), base64(png));
}

void Svg::tip(const Box& box, std::string_view tip) {
  body_ +=
      fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" pointer-events=\"all\"{}",
                  place(box.x), place(box.y), place(box.width), place(box.height), closed("rect", tip));
}

// Stacked letters in the place of a turned text, whose baseline is a third of a letter beside the centre.
void Svg::upright(Point at, const std::vector<std::string>& letters, TextStyle style) {
  const double step = 1.08 * style.size, tall = step * static_cast<double>(letters.size());
  const double above = style.anchor == TextStyle::Anchor::End     ? 0
                       : style.anchor == TextStyle::Anchor::Start ? tall
                                                                  : tall / 2;
  Point next{at.x - 0.35 * style.size, at.y - above + 0.88 * style.size};
  style.anchor = TextStyle::Anchor::Middle;
  style.upwards = false;
  for (const std::string& letter : letters) {
    text(next, letter, style);
    next.y += step;
  }
}

void Svg::text(Point at, std::string_view text, const TextStyle& style) {
  if (style.upwards)
    if (const std::vector<std::string> letters = upright_letters(terminal_safe(text)); !letters.empty())
      return upright(at, letters, style);
  std::string more;
  if (style.anchor == TextStyle::Anchor::Middle) more += " text-anchor=\"middle\"";
  if (style.anchor == TextStyle::Anchor::End) more += " text-anchor=\"end\"";
  if (style.bold) more += " font-weight=\"bold\"";
  if (style.upwards) more += fmt::format(" transform=\"rotate(-90 {} {})\"", place(at.x), place(at.y));
  if (style.from_right) more += " direction=\"rtl\"";
  const std::string words = style.from_right ? xml_text(text) : read_from_left(xml_text(text));
  body_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\"{}>{}</text>\n", place(at.x),
                       place(at.y), place(style.size), hex(style.colour), more, words);
}

std::string Svg::str(std::string_view metadata) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"system-ui, sans-serif\" role=\"img\">\n<title>{2}</title>\n<metadata>{3}</metadata>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{4}</svg>\n",
      place(std::ceil(width_)), place(std::ceil(height_)), read_from_left(xml_text(title_)),
      xml_text(metadata), body_);
}

}  // namespace headwater
