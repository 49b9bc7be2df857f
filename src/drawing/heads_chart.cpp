// A cell's number shows three figures of the map's largest; if that would be 0.00…, or too long, cells are in
// units of a power of ten that the caption gives.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "drawing/chart.h"
#include "drawing/charts.h"
#include "drawing/colours.h"
#include "drawing/tips.h"
#include "heads/importance.h"

namespace headwater {
namespace {

constexpr double cell_width = 46, cell_height = 24, maps_left = 64, maps_right = 24, maps_head = 66,
                 ramp_room = 44, maps_gap = 22, maps_top = 46, maps_foot = 30;

// The format of a map's numbers.
struct Numbers {
  double unit = 1;
  int decimals = 3;

  explicit Numbers(double peak) {
    const int power = peak > 0 ? static_cast<int>(std::floor(std::log10(peak))) : 0;
    if (power < -2 || power > 3) {
      unit = std::pow(10.0, power);
      decimals = 2;
    } else {
      decimals = std::clamp(2 - power, 0, 4);
    }
  }
  std::string operator()(double value) const {
    const std::string text = fmt::format("{:.{}f}", value / unit, decimals);
    return text.find_first_of("123456789") == std::string::npos && text.front() == '-' ? text.substr(1)
                                                                                       : text;
  }
};

double peak_of(const HeadImportance& ranking) {
  double peak = 0;
  for (const double score : ranking.scores) peak = std::max(peak, std::abs(score));
  return peak;
}

double map_height(const HeadImportance& ranking) {
  return maps_head + ranking.layers * cell_height + ramp_room;
}

// "-0.12 ▒▒▒▒ 0.12", with the meaning of the sign.
void draw_ramp(Svg& svg, Point at, const HeadImportance& ranking, double peak, const Numbers& number) {
  const bool has_sign =
      std::any_of(ranking.scores.begin(), ranking.scores.end(), [](double v) { return v < 0; });
  draw_colour_bar(svg, at, has_sign, number(peak), {});
  std::string legend = "darker blue: more important";
  if (has_sign) legend += fmt::format("; orange: {}", meaning_of_ranking(ranking.ranking).below_zero);
  if (number.unit != 1) legend += fmt::format("; numbers in units of {:.0e}", number.unit);
  svg.text({at.x, at.y + 28}, legend, small_text());
}

void draw_map(Svg& svg, double y, double width, const HeadImportance& ranking) {
  const double peak = peak_of(ranking);
  const Numbers number(peak);
  const auto width_in_heads = static_cast<std::size_t>(ranking.heads);
  svg.text({16, y + 16}, ranking.ranking, {.size = 14, .bold = true});
  svg.text({16, y + 33},
           cut_to_width(std::string(meaning_of_ranking(ranking.ranking).numbers), 12, width - 32),
           {.colour = soft_ink});
  svg.text({maps_left + ranking.heads * cell_width / 2, y + 48}, "head",
           small_text(TextStyle::Anchor::Middle));
  svg.text({16, y + maps_head + ranking.layers * cell_height / 2}, "layer",
           {.anchor = TextStyle::Anchor::Middle, .size = 11, .colour = soft_ink, .upwards = true});
  for (int h = 0; h < ranking.heads; ++h)
    svg.text({maps_left + (h + 0.5) * cell_width, y + maps_head - 5}, fmt::format("H{}", h),
             small_text(TextStyle::Anchor::Middle));
  for (int l = 0; l < ranking.layers; ++l) {
    const double row = y + maps_head + l * cell_height;
    svg.text({maps_left - 8, row + 16}, fmt::format("L{}", l), small_text(TextStyle::Anchor::End));
    for (int h = 0; h < ranking.heads; ++h) {
      const double score =
          ranking.scores[static_cast<std::size_t>(l) * width_in_heads + static_cast<std::size_t>(h)];
      const Rgb back = colour_of(peak > 0 ? score / peak : 0);
      svg.rect({maps_left + h * cell_width, row, cell_width - 1, cell_height - 1}, back,
               fmt::format("L{} H{}: {}", l, h, shown_number(score)));
      svg.text({maps_left + (h + 0.5) * cell_width - 0.5, row + 15.5}, number(score),
               {.anchor = TextStyle::Anchor::Middle, .size = 11, .colour = text_on(back)});
    }
  }
  draw_ramp(svg, {maps_left, y + maps_head + ranking.layers * cell_height + 10}, ranking, peak, number);
}

}  // namespace

std::string heads_svg(std::span<const HeadImportance> rankings, std::string_view metadata) {
  double width = 520, height = maps_top + maps_foot;
  for (const HeadImportance& ranking : rankings) {
    width = std::max(width, maps_left + ranking.heads * cell_width + maps_right);
    height += map_height(ranking) + maps_gap;
  }
  const HeadImportance& first = rankings.front();
  const std::string title = fmt::format("Importance of attention heads over {} inputs", first.inputs);
  Svg svg(width, height, title);
  draw_sheet(svg, title, {}, first.record);
  double y = maps_top;
  for (const HeadImportance& ranking : rankings) {
    draw_map(svg, y, width, ranking);
    y += map_height(ranking) + maps_gap;
  }
  return svg.str(metadata);
}

}  // namespace headwater
