// Curves over a share of heads and rates over states: small fields side by side with one legend.
#include <algorithm>

#include <fmt/format.h>

#include "report/chart.h"
#include "report/heads_text.h"
#include "report/identify_writer.h"

namespace headwater {
namespace {

constexpr double field_width = 380, field_height = 230, field_caption = 26, field_gap = 30, fields_top = 62,
                 fields_foot = 30;
constexpr Marker markers[] = {Marker::Circle, Marker::Square, Marker::Triangle, Marker::Diamond};

struct Field {
  std::string title;
  std::vector<Series> series;
};

// Fields in two columns with the axes of all, then the legend and the record.
std::string fields_svg(const std::vector<Field>& fields, const ChartAxis& x, const ChartAxis& y,
                       const std::vector<Series>& legend, const std::string& title,
                       const std::string& subtitle, const RunRecord& record, std::string_view metadata) {
  const std::size_t columns = std::min<std::size_t>(2, fields.size()), rows = (fields.size() + 1) / 2;
  const double column = Plot::left + field_width + field_gap;
  const double row = field_caption + field_height + Plot::below + 16;
  const double width = 2 * sheet_edge + static_cast<double>(columns) * column - field_gap + 12;
  const double legend_room = width - 2 * sheet_edge;
  const double below = fields_top + static_cast<double>(rows) * row;
  const double height = below + legend_height(legend_room, legend) + fields_foot;
  Svg svg(width, height, title);
  draw_sheet(svg, title, subtitle, record);
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const std::size_t across = f % 2, down = f / 2;
    const Box field{sheet_edge + static_cast<double>(across) * column + Plot::left,
                    fields_top + static_cast<double>(down) * row + field_caption, field_width, field_height};
    svg.text({field.x, field.y - 9}, fields[f].title, {.size = 13, .bold = true});
    const Plot plot(svg, field, x, y);
    for (const Series& series : fields[f].series) draw_series(svg, plot, series);
  }
  draw_legend(svg, {sheet_edge, below}, legend_room, legend);
  return svg.str(metadata);
}

std::vector<double> percent(std::vector<double> shares) {
  for (double& share : shares) share *= 100;
  return shares;
}

Series series_of(const PruningCurve& curve, std::size_t which) {
  Series series{.name = curve.ranking,
                .colour = series_colour(which),
                .marker = markers[which % std::size(markers)],
                .x = percent(curve.rates),
                .y = percent(curve.accuracy)};
  if (curve.order != "random") return series;
  series.name = "random orders of all heads: mean, lowest … highest";
  series.colour = soft_ink;
  series.dashes = "6 4";
  series.marker = Marker::Diamond;
  series.low = percent(curve.lowest);
  series.high = percent(curve.highest);
  series.spread = Series::Spread::Band;
  return series;
}

// The lines of one map and distance, of the model or its control.
std::vector<Series> rates_of(const IdentifyReport& report, const ChartAxis& x, MatchRule match,
                             Counted counted) {
  std::vector<Series> all;
  std::vector<std::string> kinds;  // a colour each, whether trained or not
  for (const IdentifyCell& cell : report.cells) {
    if (cell.trained_on != cell.state) continue;
    const std::string kind = fmt::format("{} {}", name_of(cell.map), name_of(cell.distance));
    const std::string name = kind + (cell.control ? ", untrained model" : "");
    const auto which = static_cast<std::size_t>(std::find(kinds.begin(), kinds.end(), kind) - kinds.begin());
    if (which == kinds.size()) kinds.push_back(kind);
    auto own = std::find_if(all.begin(), all.end(), [&](const Series& s) { return s.name == name; });
    if (own == all.end())
      own = all.insert(all.end(), {.name = name,
                                   .colour = series_colour(which),
                                   .dashes = cell.control ? "6 4" : "",
                                   .marker = markers[which % std::size(markers)]});
    const TokenRate& rate = chosen(cell.rates, match, counted);
    own->x.push_back(cell.state);
    own->y.push_back(100 * rate.rate);
    own->low.push_back(100 * rate.low);
    own->high.push_back(100 * rate.high);
  }
  constexpr double apart = 4;
  for (std::size_t k = 0; k < all.size(); ++k)
    all[k].aside = apart * (static_cast<double>(k) - static_cast<double>(all.size() - 1) / 2);
  const double chance = 100 * chosen(report.chance, match, counted);
  all.push_back({.name = "chance",
                 .colour = soft_ink,
                 .dashes = "1 4",
                 .x = {x.ticks.front(), x.ticks.back()},
                 .y = {chance, chance}});
  return all;
}

}  // namespace

std::string pruning_svg(const PruningReport& report, std::string_view metadata) {
  std::vector<Field> fields{{"all heads ranked, least important first", {}},
                            {"all heads ranked, most important first", {}},
                            {"within every layer, least important first", {}},
                            {"within every layer, most important first", {}}};
  std::vector<Series> legend;
  double low = 1, high = 0;
  for (const PruningCurve& curve : report.curves) {
    const auto known =
        std::find_if(legend.begin(), legend.end(), [&](const Series& s) { return s.name == curve.ranking; });
    Series series = series_of(curve, static_cast<std::size_t>(known - legend.begin()));
    if (known == legend.end()) legend.push_back(series);
    if (curve.order == "random")
      for (Field& field : fields) field.series.insert(field.series.begin(), series);
    else
      fields[(curve.scope == "layer" ? 2U : 0U) + (curve.order == "most" ? 1U : 0U)].series.push_back(
          std::move(series));
    for (const std::vector<double>& values : {curve.accuracy, curve.lowest, curve.highest})
      for (const double value : values) {
        low = std::min(low, value);
        high = std::max(high, value);
      }
  }
  if (report.curves.size() == 1) fields.resize(1);  // the random orders alone
  return fields_svg(
      fields, round_axis("heads removed", 0, 100, 10, " %"),
      round_axis("accuracy", 100 * low, 100 * high, 8, " %"), legend,
      "Accuracy as attention heads are removed",
      fmt::format("{} inputs; a removed head's attention is 0 after the softmax", report.inputs),
      report.record, metadata);
}

std::string identify_svg(const IdentifyReport& report, MatchRule match, std::string_view metadata) {
  ChartAxis x{.label = "state (0: embeddings; l: after layer l − 1)", .margin = 28};
  for (const int state : report.states) {
    x.ticks.push_back(state);
    x.names.push_back(std::to_string(state));
  }
  if (x.ticks.size() == 1) {  // alone it stands in the middle
    x.ticks = {x.ticks[0] - 1, x.ticks[0], x.ticks[0] + 1};
    x.names = {"", x.names[0], ""};
  }
  const std::vector<Field> fields{{"all tokens", rates_of(report, x, match, Counted::All)},
                                  {"without special tokens", rates_of(report, x, match, Counted::Content)}};
  const std::string subtitle =
      fmt::format("by {}; candidates: {}; target: {}; {} tested tokens of {} texts; 95 % intervals",
                  match == MatchRule::Id ? "id" : "position",
                  report.pool == TokenPool::Sentence ? "the same text" : "the whole vocabulary",
                  name_of(report.target), report.tested_tokens, report.tested_texts);
  return fields_svg(fields, x, round_axis("tokens identified", 0, 100, 10, " %"), fields.front().series,
                    "Tokens identified from hidden vectors", subtitle, report.record, metadata);
}

}  // namespace headwater
