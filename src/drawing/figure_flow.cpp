// Flow: the inputs on which one token's final vector depends. With W_l the map of layer l, rows divided by
// the sum of their absolute values, and m_L(q) = 1 for the chosen token,
//
//   e_l(q, k) = m_{l+1}(q) ((1 − r) |W_l(q, k)| / Σ_j |W_l(q, j)| + r [q = k]),    m_l(k) = Σ_q e_l(q, k)
//
// so that every layer passes on 1 in total; r is the share of the residual path, for maps that do not contain
// it. A row without any weight keeps its value. A decoder is drawn above its encoder: it reads the source
// from the encoder's top, and its own first tokens are inputs too. In each layer the strongest edges are
// drawn until they hold a share of its weight; bars below show the final value of every input token.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <headwater/error.h>
#include <headwater/formats.h>

#include "drawing/chart.h"
#include "drawing/colours.h"
#include "drawing/figure.h"
#include "drawing/tips.h"
#include "result/rows.h"
#include "result/running_text.h"
#include "result/sentence.h"

namespace headwater {

namespace {

constexpr std::size_t most_edges = 2000, most_columns = 40;
constexpr double flow_top = 66, flow_left = 64, bars_room = 52, flow_foot = 40;
constexpr Rgb counts_for{0x1e, 0x6c, 0xb2}, counts_against{0xc2, 0x57, 0x0c};

// A layer: its rows read the tokens on the level below it.
struct FlowStage {
  std::string name;
  Index layer, first, last;  // the rows that read in this layer
  std::size_t level;
  std::size_t source_level;  // the level of the columns before `first`
};

struct FlowEdge {
  std::size_t stage, lower;  // lower: the level on which it ends
  Index query, key;
  double weight;
  bool against;
};

struct Flow {
  std::vector<FlowEdge> edges;
  std::size_t all = 0;          // number of edges with any weight
  std::vector<double> arrived;  // values that arrived at the inputs
};

bool has_layers_of_its_own(const Attribution& result) {
  return result.traits.by_layer && has_axis(result, Axis::Layer);
}

Index followed_layers(const Attribution& result, const std::string& map) {
  for (const Map& one : result.maps)
    if (one.name == map) return length_along(one, Axis::Layer);
  return 0;
}

std::vector<FlowStage> stages_of(const Report& report, const Attribution& result) {
  std::vector<FlowStage> stages;
  const Index T = unit_count(report);
  if (result.maps.size() == 1) {
    for (Index l = 0; l < layer_count(result); ++l) {
      const auto below = static_cast<std::size_t>(l);
      stages.push_back({fmt::format("L{}", l), l, 0, T, below + 1, below});
    }
    return stages;
  }
  const Index split = written_from(report), encoder = followed_layers(result, "encoder");
  for (Index l = 0; l < encoder; ++l) {
    const auto below = static_cast<std::size_t>(l);
    stages.push_back({fmt::format("encoder L{}", l), l, 0, split, below + 1, below});
  }
  for (Index l = 0; l < followed_layers(result, "decoder"); ++l)
    stages.push_back({fmt::format("decoder L{}", l), l, split, T, static_cast<std::size_t>(encoder + l + 1),
                      static_cast<std::size_t>(encoder)});
  return stages;
}

// The whole flow, stage by stage from the top, with the value of every token on every level.
Flow flow_back(const Report& report, const Attribution& result, const std::vector<FlowStage>& stages,
               Index from, double residual) {
  const auto T = static_cast<std::size_t>(unit_count(report));
  std::vector<std::vector<double>> held(stages.size() + 1, std::vector<double>(T, 0.0));
  std::size_t start = 0;
  for (const FlowStage& stage : stages)
    if (from >= stage.first && from < stage.last) start = std::max(start, stage.level);
  held[start][static_cast<std::size_t>(from)] = 1;
  Flow flow;
  for (std::size_t s = stages.size(); s-- > 0;) {
    const FlowStage& stage = stages[s];
    for (Index q = stage.first; q < stage.last; ++q) {
      const double mass = held[stage.level][static_cast<std::size_t>(q)];
      if (!(mass > 0)) continue;
      const std::vector<double> row = row_weights(report, result, stage.layer, q);
      const auto size = [&](std::size_t k) { return std::isfinite(row[k]) ? std::abs(row[k]) : 0; };
      double sum = 0;
      for (std::size_t k = 0; k < T; ++k) sum += size(k);
      for (std::size_t k = 0; k < T; ++k) {
        const bool own = static_cast<Index>(k) == q;
        const double weight =
            mass * (sum > 0 ? (1 - residual) * size(k) / sum + (own ? residual : 0) : (own ? 1 : 0));
        if (!(weight > 0)) continue;
        const std::size_t lower = static_cast<Index>(k) < stage.first ? stage.source_level : stage.level - 1;
        held[lower][k] += weight;
        flow.edges.push_back({s, lower, q, static_cast<Index>(k), weight, row[k] < 0});
      }
    }
  }
  flow.all = flow.edges.size();
  flow.arrived = held[0];
  if (result.maps.size() > 1)
    for (auto k = static_cast<std::size_t>(written_from(report)); k < T; ++k)
      flow.arrived[k] += held[static_cast<std::size_t>(followed_layers(result, "encoder"))][k];
  return flow;
}

// The strongest edges of every stage until they hold `share` of it; the strongest of all are drawn last, on
// top.
void keep_strongest(Flow& flow, std::size_t stages, double share) {
  std::vector<FlowEdge> kept;
  for (std::size_t s = 0; s < stages; ++s) {
    std::vector<FlowEdge> own;
    std::copy_if(flow.edges.begin(), flow.edges.end(), std::back_inserter(own),
                 [&](const FlowEdge& edge) { return edge.stage == s; });
    std::stable_sort(own.begin(), own.end(),
                     [](const FlowEdge& a, const FlowEdge& b) { return a.weight > b.weight; });
    const double all = std::accumulate(own.begin(), own.end(), 0.0,
                                       [](double sum, const FlowEdge& edge) { return sum + edge.weight; });
    double seen = 0;
    for (const FlowEdge& edge : own) {
      if (seen >= share * all - 1e-12) break;
      seen += edge.weight;
      kept.push_back(edge);
    }
  }
  std::stable_sort(kept.begin(), kept.end(),
                   [](const FlowEdge& a, const FlowEdge& b) { return a.weight > b.weight; });
  if (kept.size() > most_edges) kept.resize(most_edges);
  std::reverse(kept.begin(), kept.end());
  flow.edges = std::move(kept);
}

// If there are many tokens, those that an edge touches; otherwise all.
std::vector<Index> shown_units(const Flow& flow, Index count, Index from) {
  std::vector<bool> touched(static_cast<std::size_t>(count), static_cast<std::size_t>(count) <= most_columns);
  touched[static_cast<std::size_t>(from)] = true;
  for (const FlowEdge& edge : flow.edges)
    touched[static_cast<std::size_t>(edge.query)] = touched[static_cast<std::size_t>(edge.key)] = true;
  std::vector<Index> shown;
  for (Index t = 0; t < count; ++t)
    if (touched[static_cast<std::size_t>(t)]) shown.push_back(t);
  return shown;
}

// The layout: a column for every shown token, a level for the input and for every stage.
class FlowSheet {
 public:
  FlowSheet(const Report& report, std::vector<Index> shown, std::size_t stages)
      : report_(report), shown_(std::move(shown)) {
    const auto columns = static_cast<double>(shown_.size()), levels = static_cast<double>(stages);
    step_ = std::clamp(900.0 / columns, 9.0, 66.0);
    level_ = std::clamp(420.0 / levels, 30.0, 64.0);
    double names = 0;
    for (const Index t : shown_) names = std::max(names, drawn_width(name(t), 11));
    turned_ = names > step_ - 4;
    floor_ = flow_top + level_ * levels;
    width_ = std::max(520.0, flow_left + step_ * columns + 2 * sheet_edge);
    height_ = floor_ + bars_room + (turned_ ? names : 14) + 10 + flow_foot;
  }

  Svg empty(const std::string& title) const { return {width_, height_, title}; }

  void draw_levels(Svg& svg, const std::vector<FlowStage>& stages) const {
    draw_level(svg, 0, "input");
    for (const FlowStage& stage : stages) draw_level(svg, stage.level, stage.name);
  }

  void draw_edges(Svg& svg, const Flow& flow, const std::vector<FlowStage>& stages, Index from) const {
    std::size_t start = 0;
    for (const FlowEdge& edge : flow.edges) {
      const FlowStage& stage = stages[edge.stage];
      start = std::max(start, stage.level);
      svg.curve({x(edge.query), y(stage.level)}, {x(edge.key), y(edge.lower)}, Svg::Leaves::Upright,
                {.colour = edge.against ? counts_against : counts_for,
                 .width = 0.5 + 5 * edge.weight,
                 .dashes = edge.against ? "5 3" : "",
                 .opacity = 0.25 + 0.7 * std::min(1.0, 2 * edge.weight)},
                cell_tip(stage.name, in_quotes(unit(edge.query)), in_quotes(unit(edge.key)), edge.weight));
    }
    svg.rect({x(from) - 4, y(start) - 4, 8, 8}, counts_against);
  }

  void draw_inputs(Svg& svg, const std::vector<double>& arrived, Index from) const {
    const double most = *std::max_element(arrived.begin(), arrived.end());
    for (const Index t : shown_) {
      const double own = arrived[static_cast<std::size_t>(t)],
                   tall = most > 0 ? (bars_room - 22) * own / most : 0;
      svg.rect({x(t) - step_ * 0.36, floor_ + 8, step_ * 0.72, std::max(0.3, tall)}, counts_for,
               fmt::format("{} gives {}", in_quotes(unit(t)), shown_number(own)));
      svg.text(turned_ ? Point{x(t) + 4, floor_ + bars_room} : Point{x(t), floor_ + bars_room + 8}, name(t),
               {.anchor = turned_ ? TextStyle::Anchor::End : TextStyle::Anchor::Middle,
                .size = 11,
                .bold = t == from,
                .upwards = turned_});
    }
    svg.text({sheet_edge, floor_ + 18}, fmt::format("≤ {:.2f}", most), small_text());
  }

 private:
  const Unit& unit(Index t) const { return report_.prediction.units[static_cast<std::size_t>(t)]; }
  std::string name(Index t) const { return cut_to_width(token_word(unit(t)), 11, 120); }
  double x(Index t) const {
    const auto place = std::lower_bound(shown_.begin(), shown_.end(), t) - shown_.begin();
    return flow_left + sheet_edge + step_ * (static_cast<double>(place) + 0.5);
  }
  double y(std::size_t level) const { return floor_ - level_ * static_cast<double>(level); }
  void draw_level(Svg& svg, std::size_t level, const std::string& name) const {
    svg.text({sheet_edge, y(level) + 4}, name, small_text());
    for (const Index t : shown_) svg.rect({x(t) - 1, y(level) - 1, 2, 2}, grid_ink);
  }

  const Report& report_;
  std::vector<Index> shown_;
  double step_, level_, floor_, width_, height_;
  bool turned_;
};

}  // namespace

std::string flow_figure(const Report& report, const FigureOptions& options, const std::string& metadata) {
  const double share = drawn_share(options, 0.8);
  const Attribution& result = chosen_result(report, options, "flow", has_layers_of_its_own);
  const double residual = options.residual.value_or(result.traits.attention_alone ? 0.5 : 0);
  if (!(residual >= 0 && residual < 1))
    throw InputError(fmt::format("--residual: expected from 0 to below 1, found {}", residual));
  const Index from = options.row.empty() ? row_to_show(report) : row_named(report, options.row);
  const std::vector<FlowStage> stages = stages_of(report, result);
  Flow flow = flow_back(report, result, stages, from, residual);
  keep_strongest(flow, stages.size(), share);
  const bool has_sign =
      std::any_of(flow.edges.begin(), flow.edges.end(), [](const FlowEdge& edge) { return edge.against; });
  const FlowSheet sheet(report, shown_units(flow, unit_count(report), from), stages.size());
  const std::string sentence = sentence_at(report, result, shown_layer(report, result));
  Svg svg = sheet.empty(sentence);
  draw_sheet(
      svg, sentence,
      fmt::format(
          "{}: what {} holds at the end, read layer by layer; {} of {} edges, {:.0f} % of every layer{}",
          name_of(result), token_word(report.prediction.units[static_cast<std::size_t>(from)]),
          flow.edges.size(), flow.all, 100 * share, has_sign ? "; orange, dashed: negative" : ""),
      report.record);
  sheet.draw_levels(svg, stages);
  sheet.draw_edges(svg, flow, stages, from);
  sheet.draw_inputs(svg, flow.arrived, from);
  return svg.str(metadata);
}

}  // namespace headwater
