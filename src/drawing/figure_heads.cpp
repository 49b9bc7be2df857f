// The heads of one layer as lines from the token that reads to the token that is read. The lines of all heads
// are ranked together, and the strongest are drawn, each in its head's colour, until they hold a share of the
// weight.
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <span>

#include <fmt/format.h>
#include <headwater/formats.h>

#include "drawing/chart.h"
#include "drawing/figure.h"
#include "drawing/tips.h"
#include "result/rows.h"
#include "result/running_text.h"
#include "result/sentence.h"

namespace headwater {

namespace {

constexpr std::size_t most_lines = 2000;
constexpr double heads_width = 620, heads_top = 104, heads_foot = 34, names_size = 12;
constexpr Index key_columns = 20;
constexpr double key_line = 15;
constexpr double least_share_of_peak = 0.004;  // too faint for any line

struct HeadLine {
  Index head, query, key;
  double value;
};

struct HeadLines {
  std::vector<HeadLine> lines;  // strongest first
  std::size_t all = 0;
};

bool has_heads(const Attribution& result) {
  return has_axis(result, Axis::Query) && has_axis(result, Axis::Head);
}

// All lines of one head, for any kind of attention.
std::vector<HeadLine> lines_of(const Report& report, std::span<const Map* const> maps, Index layer,
                               Index head) {
  std::vector<HeadLine> lines;
  for (const Map* map : maps) {
    const Tensor& values = map->values;
    const Index keys = values.shape().back(), queries = values.dim(values.rank() - 2),
                heads = length_along(*map, Axis::Head);
    if (head >= heads || layer >= length_along(*map, Axis::Layer)) continue;
    const Index from = first_unit(report, *map, Axis::Query), to = first_unit(report, *map, Axis::Key);
    for (Index c = 0; c < queries * keys; ++c)
      if (const double v = values.at((layer * heads + head) * queries * keys + c); std::isfinite(v) && v != 0)
        lines.push_back({head, from + c / keys, to + c % keys, v});
  }
  return lines;
}

HeadLines strongest_lines(const Report& report, std::span<const Map* const> maps, Index layer, Index heads,
                          double share) {
  HeadLines found;
  double sum = 0;
  for (Index h = 0; h < heads; ++h) {
    const std::vector<HeadLine> own = lines_of(report, maps, layer, h);
    found.all += own.size();
    double peak = 0;
    for (const HeadLine& line : own) {
      peak = std::max(peak, std::abs(line.value));
      sum += std::abs(line.value);
    }
    std::copy_if(own.begin(), own.end(), std::back_inserter(found.lines),
                 [&](const HeadLine& line) { return std::abs(line.value) >= least_share_of_peak * peak; });
  }
  std::stable_sort(found.lines.begin(), found.lines.end(), [](const HeadLine& a, const HeadLine& b) {
    if (std::abs(a.value) != std::abs(b.value)) return std::abs(a.value) > std::abs(b.value);
    return a.query != b.query ? a.query < b.query : a.key < b.key;
  });
  double kept = 0;
  std::size_t count = 0;
  for (; count < found.lines.size() && count < most_lines && kept < share * sum; ++count)
    kept += std::abs(found.lines[count].value);
  found.lines.resize(count);
  return found;
}

struct Pen {
  Rgb colour;
  const char* dashes;
};

constexpr const char* negative_dots = "1 4";

// Ten colours, and from there on dashes, so that no two heads look alike.
Pen pen_of(Index head) {
  static constexpr std::array<const char*, 4> dashes{"", "9 3", "12 3 3 3", "3 3"};
  return {series_colour(static_cast<std::size_t>(head)),
          dashes[static_cast<std::size_t>(head / 10) % dashes.size()]};
}

// A square in each head's colour with its number, or a dashed line.
void draw_head_key(Svg& svg, Index heads) {
  svg.text({sheet_edge, 74}, "heads", small_text());
  for (Index h = 0; h < heads; ++h) {
    const Index line = h / key_columns;
    const double x = sheet_edge + 40 + 27 * static_cast<double>(h % key_columns),
                 y = 64 + key_line * static_cast<double>(line);
    const Pen pen = pen_of(h);
    if (*pen.dashes == '\0')
      svg.rect({x, y, 11, 11}, pen.colour);
    else
      svg.line({x - 1, y + 5.5}, {x + 13, y + 5.5}, {.colour = pen.colour, .width = 4, .dashes = pen.dashes});
    svg.text({x + 14, y + 10}, std::to_string(h), small_text());
  }
}

}  // namespace

std::string heads_figure(const Report& report, const FigureOptions& options, const std::string& metadata) {
  const Attribution& result = chosen_result(report, options, "figure of heads", has_heads);
  const std::vector<const Map*> maps = chosen_maps(result, options);
  const Index layers = layer_count(result), T = unit_count(report),
              heads = length_along(*maps.front(), Axis::Head);
  require_below("--layer", options.layer, layers);
  const double share = drawn_share(options, 0.4);
  const Index layer = options.layer >= 0 ? options.layer : shown_layer(report, result);
  const HeadLines found = strongest_lines(report, maps, layer, heads, share);
  const auto count = static_cast<double>(T);
  const double step = std::clamp(600 / count, 9.0, 20.0), size = std::clamp(step - 4, 8.0, names_size);
  double names = 0;
  std::vector<std::string> labels;
  for (const Unit& unit : report.prediction.units) {
    labels.push_back(cut_to_width(token_word(unit), size, 150));
    names = std::max(names, drawn_width(labels.back(), size));
  }
  const Index more_lines = (heads - 1) / key_columns;
  const double top = heads_top + key_line * static_cast<double>(more_lines);
  const std::string sentence = sentence_at(report, result, layer);
  Svg svg(heads_width, top + step * count + heads_foot, sentence);
  draw_sheet(svg, sentence,
             fmt::format("{}, layer {}: what every head reads; {} of {} lines, {:.0f} % of the weight{}",
                         name_of(result), layer, found.lines.size(), found.all, 100 * share,
                         std::any_of(found.lines.begin(), found.lines.end(),
                                     [](const HeadLine& line) { return line.value < 0; })
                             ? "; dotted: negative"
                             : ""),
             report.record);
  draw_head_key(svg, heads);
  const double left = sheet_edge + names + 6, right = svg.width() - left;
  const auto y = [&](Index t) { return top + step * (static_cast<double>(t) + 0.5); };
  svg.text({left - 6, top - 6}, "reads", small_text(TextStyle::Anchor::End));
  svg.text({right + 6, top - 6}, "is read", small_text());
  const double peak = found.lines.empty() ? 1 : std::abs(found.lines.front().value);
  for (const HeadLine& line : found.lines) {
    const double strength = std::abs(line.value) / peak;
    svg.curve({left, y(line.query)}, {right, y(line.key)}, Svg::Leaves::Level,
              {.colour = pen_of(line.head).colour,
               .width = 0.5 + 3.5 * strength,
               .dashes = line.value < 0 ? negative_dots : pen_of(line.head).dashes,
               .opacity = 0.15 + 0.75 * strength},
              cell_tip(place_words(*maps.front(), layer, line.head),
                       in_quotes(report.prediction.units[static_cast<std::size_t>(line.query)]),
                       in_quotes(report.prediction.units[static_cast<std::size_t>(line.key)]), line.value));
  }
  for (Index t = 0; t < T; ++t) {
    const std::string& label = labels[static_cast<std::size_t>(t)];
    svg.text({left - 6, y(t) + 0.35 * size}, label,
             {.anchor = TextStyle::Anchor::End, .size = size, .colour = soft_ink});
    svg.text({right + 6, y(t) + 0.35 * size}, label, {.size = size, .colour = soft_ink});
  }
  return svg.str(metadata);
}

}  // namespace headwater
