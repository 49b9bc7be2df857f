// Curves over a share of heads and rates over states: small fields side by side with one legend.
#include <algorithm>

#include <fmt/format.h>

#include "drawing/chart.h"
#include "drawing/charts.h"
#include "result/many_inputs.h"

namespace headwater {
namespace {

std::vector<double> in_percent(std::vector<double> shares) {
  for (double& share : shares) share *= 100;
  return shares;
}

Series series_of(const PruningCurve& curve, std::size_t which) {
  Series series{.name = curve.ranking,
                .colour = series_colour(which),
                .marker = series_marker(which),
                .x = in_percent(curve.rates),
                .y = in_percent(curve.accuracy)};
  if (curve.order != "random") return series;
  series.name = "random orders of all heads: mean, lowest … highest";
  series.colour = soft_ink;
  series.dashes = "6 4";
  series.marker = Marker::Diamond;
  series.low = in_percent(curve.lowest);
  series.high = in_percent(curve.highest);
  series.spread = Series::Spread::Band;
  return series;
}

// The lines of one map and distance, for the model or its control.
std::vector<Series> rates_of(const IdentifyReport& report, const ChartAxis& x, MatchRule match,
                             Counted counted) {
  std::vector<Series> all;
  std::vector<std::string> kinds;  // one colour each, trained or not
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
                                   .marker = series_marker(which)});
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
  std::vector<ChartField> fields;
  for (const char* title :
       {"all heads ranked, least important first", "all heads ranked, most important first",
        "within every layer, least important first", "within every layer, most important first"})
    fields.push_back({.title = title});
  std::vector<Series> legend;
  double low = 1, high = 0;
  for (const PruningCurve& curve : report.curves) {
    const auto known =
        std::find_if(legend.begin(), legend.end(), [&](const Series& s) { return s.name == curve.ranking; });
    Series series = series_of(curve, static_cast<std::size_t>(known - legend.begin()));
    if (known == legend.end()) legend.push_back(series);
    if (curve.order == "random")
      for (ChartField& field : fields) field.series.insert(field.series.begin(), series);
    else
      fields[(curve.scope == "layer" ? 2U : 0U) + (curve.order == "most" ? 1U : 0U)].series.push_back(
          std::move(series));
    for (const std::vector<double>& values : {curve.accuracy, curve.lowest, curve.highest})
      for (const double value : values) {
        low = std::min(low, value);
        high = std::max(high, value);
      }
  }
  if (report.curves.size() == 1) fields.resize(1);  // only the random orders
  for (ChartField& field : fields) {
    field.x = round_axis("heads removed", 0, 100, 10, " %");
    field.y = round_axis("accuracy", 100 * low, 100 * high, 8, " %");
  }
  return fields_svg(
      {.title = "Accuracy as attention heads are removed",
       .subtitle = fmt::format("{} inputs; a removed head's attention is 0 after the softmax", report.inputs),
       .fields = fields,
       .legend = legend},
      report.record, metadata);
}

std::string identify_svg(const IdentifyReport& report, MatchRule match, std::string_view metadata) {
  ChartAxis x{.label = "state (0: embeddings; l: after layer l − 1)", .margin = 28};
  for (const int state : report.states) {
    x.ticks.push_back(state);
    x.names.push_back(std::to_string(state));
  }
  if (x.ticks.size() == 1) {  // a single tick is centred
    x.ticks = {x.ticks[0] - 1, x.ticks[0], x.ticks[0] + 1};
    x.names = {"", x.names[0], ""};
  }
  const ChartAxis y = round_axis("tokens identified", 0, 100, 10, " %");
  const std::vector<ChartField> fields{
      {"all tokens", x, y, rates_of(report, x, match, Counted::All)},
      {"without special tokens", x, y, rates_of(report, x, match, Counted::Content)}};
  const std::string subtitle =
      fmt::format("by {}; candidates: {}; target: {}; {} tested tokens of {} texts; 95 % intervals",
                  match == MatchRule::Id ? "id" : "position",
                  report.pool == TokenPool::Sentence ? "the same text" : "the whole vocabulary",
                  name_of(report.target), report.tested_tokens, report.tested_texts);
  return fields_svg({.title = "Tokens identified from hidden vectors",
                     .subtitle = subtitle,
                     .fields = fields,
                     .legend = fields.front().series},
                    report.record, metadata);
}

}  // namespace headwater
