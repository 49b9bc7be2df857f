#include "drawing/map_panels.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "drawing/chart.h"
#include "drawing/colours.h"
#include "drawing/tips.h"
#include "image/image.h"

namespace headwater {

namespace {

constexpr double map_gap = 20, map_top = 56, map_heading = 18, map_foot = 58, profile_size = 46;
constexpr double least_named_cell = 6;  // smaller cells have no room for a name beside them
constexpr double most_named = 96,
                 most_named_dense = 32;      // most units of a dense panel with names
constexpr std::size_t most_cells = 1 << 14;  // most cells drawn one by one: about two megabytes
constexpr Rgb no_number{0xee, 0xf0, 0xf2};

struct PanelLayout {
  double cell, names;  // names: the room for names on the left and below
  bool named, single;

  explicit PanelLayout(const MapPanels& maps) : single(maps.panels.size() == 1) {
    const auto longest = static_cast<double>(std::max(maps.rows.size(), maps.columns.size()));
    cell = maps.dense ? std::clamp(76 / std::max(1.0, longest), 0.5, 8.0)
                      : std::clamp((single ? 560 : 200) / std::max(1.0, longest), 1.5, single ? 34.0 : 14.0);
    if (longest <= (maps.dense ? most_named_dense : most_named)) cell = std::max(cell, least_named_cell);
    named = cell >= least_named_cell;
    names = 0;
    for (const auto& list : {maps.rows, maps.columns})
      for (const std::string& name : list)
        if (named) names = std::max(names, drawn_width(cut(name), size()) + 6);
  }
  double size() const { return std::min(11.0, cell); }
  static std::string cut(const std::string& name) { return cut_to_width(name, 11, 120); }
  double gap() const { return cell > 4 ? 1 : 0; }
};

// A cell's number if it fits, or nothing; the 0 before the point is dropped before a digit is.
std::string cell_number(double value, double room) {
  const auto fits = [&](const std::string& text) { return drawn_width(text, 9) <= room; };
  for (const int digits : {3, 2, 1}) {
    std::string text = fmt::format("{:.{}f}", value, digits);
    if (fits(text)) return text;
    if (const std::size_t zero = text.find("0."); digits > 1 && zero != std::string::npos && zero < 2)
      if (text.erase(zero, 1); fits(text)) return text;
  }
  return {};
}

Rgb cell_colour(double value, double scale) {
  return std::isfinite(value) ? colour_of(scale > 0 ? value / scale : 0) : no_number;
}

void draw_pixels(Svg& svg, Point at, const MapPanels& maps, const MapPanel& panel, double cell) {
  Image image{static_cast<int>(maps.columns.size()), static_cast<int>(maps.rows.size()), {}};
  for (const double value : panel.cells) {
    const Rgb colour = cell_colour(value, panel.scale);
    for (const int channel : {colour.r, colour.g, colour.b})
      image.rgb.push_back(static_cast<std::uint8_t>(channel));
  }
  svg.cells({at.x, at.y, cell * image.width, cell * image.height}, encode_png(image));
}

void draw_cells(Svg& svg, Point at, const MapPanels& maps, const MapPanel& panel, const PanelLayout& layout) {
  const std::size_t columns = maps.columns.size();
  for (std::size_t q = 0; q < maps.rows.size(); ++q)
    for (std::size_t k = 0; k < columns; ++k) {
      const double value = panel.cells[q * columns + k];
      const Box box{at.x + static_cast<double>(k) * layout.cell, at.y + static_cast<double>(q) * layout.cell,
                    layout.cell - layout.gap(), layout.cell - layout.gap()};
      const bool known = std::isfinite(value);
      const Rgb back = cell_colour(value, panel.scale);
      svg.rect(box, back, cell_tip(panel.place, in_quotes(maps.rows[q]), in_quotes(maps.columns[k]), value));
      if (!known && layout.cell >= 5)  // never by colour alone
        svg.line({box.x, box.y + box.height}, {box.x + box.width, box.y},
                 {.colour = {0xc4, 0xcc, 0xd4}, .width = 0.6});
      if (const std::string text =
              layout.single && known ? cell_number(value, layout.cell - 4) : std::string();
          !text.empty())
        svg.text({box.x + box.width / 2, box.y + box.height / 2 + 3}, text,
                 {.anchor = TextStyle::Anchor::Middle, .size = 9, .colour = text_on(back)});
    }
}

// With many small panels, the first one in a row has names on its left, and the lowest one in a column below
// it.
struct NamedSides {
  bool left = true, below = true;
};

void draw_names(Svg& svg, Point at, const MapPanels& maps, const PanelLayout& layout, NamedSides sides) {
  if (!layout.named) return;
  const double middle = layout.cell / 2 + layout.size() * 0.36;
  for (std::size_t q = 0; sides.left && q < maps.rows.size(); ++q)
    svg.text({at.x - 4, at.y + static_cast<double>(q) * layout.cell + middle}, PanelLayout::cut(maps.rows[q]),
             {.anchor = TextStyle::Anchor::End, .size = layout.size(), .colour = soft_ink});
  const double below = at.y + static_cast<double>(maps.rows.size()) * layout.cell + 4;
  for (std::size_t k = 0; sides.below && k < maps.columns.size(); ++k)
    svg.text({at.x + static_cast<double>(k) * layout.cell + middle, below}, PanelLayout::cut(maps.columns[k]),
             {.anchor = TextStyle::Anchor::End, .size = layout.size(), .colour = soft_ink, .upwards = true});
}

// Sums of rows on the right and of columns at the top, as bars; the largest has its number.
void draw_profiles(Svg& svg, Point at, const MapPanels& maps, const MapPanel& panel,
                   const PanelLayout& layout) {
  const std::size_t R = maps.rows.size(), C = maps.columns.size();
  std::vector<double> rows(R, 0.0), columns(C, 0.0);
  for (std::size_t i = 0; i < R * C; ++i)
    if (std::isfinite(panel.cells[i])) {
      rows[i / C] += panel.cells[i];
      columns[i % C] += panel.cells[i];
    }
  const double widest = largest_size(rows), tallest = largest_size(columns), room = profile_size - 14;
  const double right = at.x + static_cast<double>(C) * layout.cell + 8;
  const auto length = [&](double v, double most) {
    return most > 0 ? std::max(0.5, std::abs(v) / most * room) : 0.0;
  };
  for (std::size_t q = 0; q < R; ++q)
    svg.rect({right, at.y + static_cast<double>(q) * layout.cell, length(rows[q], widest),
              layout.cell - layout.gap()},
             colour_of(rows[q] < 0 ? -0.6 : 0.6),
             fmt::format("{} reads {} in all", in_quotes(maps.rows[q]), shown_number(rows[q])));
  for (std::size_t k = 0; k < C; ++k) {
    const double tall = length(columns[k], tallest);
    svg.rect({at.x + static_cast<double>(k) * layout.cell, at.y - 6 - tall, layout.cell - layout.gap(), tall},
             colour_of(columns[k] < 0 ? -0.6 : 0.6),
             fmt::format("{} is read {} in all", in_quotes(maps.columns[k]), shown_number(columns[k])));
  }
  svg.text({right, at.y - 4}, fmt::format("rows ≤ {:.3g}", widest), small_text());
  svg.text({at.x - 6, at.y - 12}, fmt::format("columns ≤ {:.3g}", tallest),
           small_text(TextStyle::Anchor::End));
}

}  // namespace

double largest_size(const std::vector<double>& cells) {
  double peak = 0;
  for (const double v : cells)
    if (std::isfinite(v)) peak = std::max(peak, std::abs(v));
  return peak;
}

std::string map_panels_svg(const MapPanels& maps, const RunRecord& record, std::string_view metadata) {
  const PanelLayout layout(maps);
  const double profile = layout.single ? profile_size : 0;
  const double width = static_cast<double>(maps.columns.size()) * layout.cell,
               height = static_cast<double>(maps.rows.size()) * layout.cell;
  // Names of small panels are drawn once, at the side and the bottom of the sheet.
  const double side = maps.dense ? layout.names : 0, foot = side;
  const double left = layout.single ? std::max(layout.names, 92.0) : layout.names - side;
  const double across = left + width + profile + map_gap,
               down = map_heading + profile + height + layout.names - foot + map_gap;
  const std::size_t columns = std::min(maps.in_a_row, maps.panels.size());
  const std::size_t rows = (maps.panels.size() + maps.in_a_row - 1) / maps.in_a_row;
  const double content = 2 * sheet_edge + side + static_cast<double>(columns) * across;
  Svg svg(sheet_width(std::max(520.0, content), maps.title),
          map_top + static_cast<double>(rows) * down + foot + map_foot, maps.title);
  draw_sheet(svg, maps.title, maps.subtitle, record);
  bool has_sign = false;
  std::size_t cells = 0;
  for (const MapPanel& panel : maps.panels) {
    cells += panel.cells.size();
    has_sign |= std::any_of(panel.cells.begin(), panel.cells.end(), [](double v) { return v < 0; });
  }
  for (std::size_t p = 0; p < maps.panels.size(); ++p) {
    const MapPanel& panel = maps.panels[p];
    const std::size_t line = p / maps.in_a_row;
    const Point at{sheet_edge + side + static_cast<double>(p % maps.in_a_row) * across + left,
                   map_top + static_cast<double>(line) * down + map_heading + profile};
    svg.text({at.x, at.y - profile - 6}, panel.name, {.size = maps.dense ? 10.0 : 12.0, .bold = true});
    if (!layout.single && !maps.shared && !maps.dense)
      svg.text({at.x + width, at.y - 6}, fmt::format("≤ {:.3g}", panel.scale),
               small_text(TextStyle::Anchor::End));
    if (cells > most_cells)
      draw_pixels(svg, at, maps, panel, layout.cell);
    else
      draw_cells(svg, at, maps, panel, layout);
    draw_names(svg, at, maps, layout,
               {.left = !maps.dense || p % maps.in_a_row == 0,
                .below = !maps.dense || p + maps.in_a_row >= maps.panels.size()});
    if (layout.single) draw_profiles(svg, at, maps, panel, layout);
  }
  const bool one = maps.shared || layout.single;
  const std::string share = one ? "" : "as a share of each panel's largest";
  draw_colour_bar(svg, {sheet_edge, svg.height() - map_foot + 12}, has_sign,
                  one ? fmt::format("{:.3g}", maps.panels.front().scale) : "1",
                  share + (!has_sign ? ""
                           : one     ? "blue counts for, orange against"
                                     : "; blue counts for, orange against"));
  return svg.str(metadata);
}

}  // namespace headwater
