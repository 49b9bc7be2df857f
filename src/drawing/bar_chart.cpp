// Bars from left to right: one group for no trigger and one for each trigger, with a bar per gold label. A
// line across a bar marks its height without a trigger.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "drawing/chart.h"
#include "drawing/charts.h"
#include "result/many_inputs.h"

namespace headwater {
namespace {

constexpr double bar_height = 15, group_gap = 16, names_width = 250, bars_width = 400, bars_top = 66,
                 values_room = 56, bars_foot = 30;

struct BarGroup {
  std::string name, note;
  std::vector<double> accuracy;
};

std::vector<BarGroup> bar_groups(const TriggerReport& report) {
  std::vector<BarGroup> groups{{"no trigger", "", report.accuracy}};
  for (const Trigger& trigger : report.triggers)
    groups.push_back({pattern_of(trigger),
                      fmt::format("from {}, strength {:.3f}", trigger.label, trigger.strength),
                      trigger.accuracy});
  return groups;
}

void draw_group(Svg& svg, const Plot& plot, double y, const BarGroup& group, const TriggerReport& report) {
  constexpr double room = names_width - 12;
  const TextStyle name{.anchor = TextStyle::Anchor::End, .size = 12, .bold = true};
  svg.text({sheet_edge + room, y + 12}, cut_to_width(group.name, 12.5, room), name);
  if (!group.note.empty())
    svg.text({sheet_edge + room, y + 27}, cut_to_width(group.note, 11, room),
             small_text(TextStyle::Anchor::End));
  for (std::size_t k = 0; k < report.labels.size(); ++k, y += bar_height) {
    const double from = plot.at(0, 0).x, share = group.accuracy[k];
    if (std::isnan(share)) {
      svg.text({from + 6, y + 11}, "no inputs", small_text());
      continue;
    }
    const double to = plot.at(100 * share, 0).x, before = plot.at(100 * report.accuracy[k], 0).x;
    svg.rect({from, y + 1, to - from, bar_height - 2}, series_colour(k),
             fmt::format("{}: {:.2f} % of {}", report.labels[k], 100 * share, report.inputs[k]));
    svg.line({before, y}, {before, y + bar_height}, {.width = 1.5});
    svg.text({std::max(to, before) + 5, y + 11.5}, fmt::format("{:.1f}", 100 * share), {.size = 11});
  }
}

}  // namespace

std::string triggers_svg(const TriggerReport& report, std::string_view metadata) {
  const std::vector<BarGroup> groups = bar_groups(report);
  const double own = static_cast<double>(report.labels.size()) * bar_height;
  const double group_height = std::max(own, 32.0) + group_gap;
  const double field_height = static_cast<double>(groups.size()) * group_height + group_gap / 2;
  std::vector<Series> legend;
  for (std::size_t k = 0; k < report.labels.size(); ++k)
    legend.push_back({.name = fmt::format("gold label {} ({} inputs)", report.labels[k], report.inputs[k]),
                      .colour = series_colour(k),
                      .marker = Marker::Square});
  legend.push_back({.name = "without a trigger", .colour = {0x1c, 0x26, 0x30}});
  const double width = 2 * sheet_edge + names_width + bars_width + values_room;
  const double below = bars_top + field_height + Plot::below + 8;
  const double height = below + legend_height(width - 2 * sheet_edge, legend) + bars_foot;
  const std::string title = "Accuracy with trigger patterns inserted";
  Svg svg(width, height, title);
  draw_sheet(svg, title, "per gold label; a pattern's tokens go to their relative places in every input",
             report.record);
  const ChartAxis y{.label = "", .ticks = {0, 1}, .names = {"", ""}};
  const Plot plot(svg, {sheet_edge + names_width, bars_top, bars_width, field_height},
                  round_axis("accuracy", 0, 100, 10, " %"), y);
  for (std::size_t g = 0; g < groups.size(); ++g)
    draw_group(svg, plot, bars_top + group_gap / 2 + static_cast<double>(g) * group_height, groups[g],
               report);
  draw_legend(svg, {sheet_edge, below}, width - 2 * sheet_edge, legend);
  return svg.str(metadata);
}

}  // namespace headwater
