// Flow: where what one token holds at the end was read from. With W_l the map of layer l, rows divided by the
// sum of their sizes, and m_L(q) = 1 for the token that is asked for,
//
//   e_l(q, k) = m_{l+1}(q) ((1 − r) |W_l(q, k)| / Σ_j |W_l(q, j)| + r [q = k]),    m_l(k) = Σ_q e_l(q, k)
//
// so that every layer passes on 1 in all; r is the share of the residual path, for maps that do not hold it.
// Of each layer the strongest edges are drawn until they hold a share of it; bars below show m_0, what every
// input token had in the end.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <headwater/error.h>
#include <headwater/formats.h>

#include "methods/method.h"
#include "report/chart.h"
#include "report/colours.h"
#include "report/figure.h"
#include "report/focus.h"
#include "report/running_text.h"

namespace headwater {

namespace {

constexpr std::size_t most_edges = 2000;
constexpr double flow_top = 66, flow_left = 52, bars_room = 52, flow_foot = 40;

struct FlowEdge {
  Index layer, query, key;
  double weight;
};

struct Flow {
  std::vector<FlowEdge> edges;  // drawn ones, a layer's strongest last and on top
  std::size_t all = 0;          // with any weight
  std::vector<double> arrived;  // m_0
};

bool has_layers_of_mixing(const Attribution& result) {
  const Method* method = method_named(result.method);
  return method != nullptr && method->mixing != Mixing::None && result.aggregate.empty() &&
         result.maps.size() == 1 && has_axis(result, Axis::Query) && has_axis(result, Axis::Layer);
}

Flow flow_back(const Report& report, const Attribution& result, Index from, double residual, double share) {
  const Index T = unit_count(report);
  Flow flow;
  flow.arrived.assign(static_cast<std::size_t>(T), 0.0);
  flow.arrived[static_cast<std::size_t>(from)] = 1;
  for (Index l = layer_count(result); l-- > 0;) {
    std::vector<double> next(static_cast<std::size_t>(T), 0.0);
    std::vector<FlowEdge> edges;
    for (Index q = 0; q < T; ++q) {
      const double mass = flow.arrived[static_cast<std::size_t>(q)];
      if (mass == 0) continue;
      std::vector<double> row = row_weights(report, result, l, q);
      for (double& v : row) v = std::isfinite(v) ? std::abs(v) : 0;
      const double sum = std::accumulate(row.begin(), row.end(), 0.0);
      for (Index k = 0; k < T && sum > 0; ++k)
        if (const double weight =
                mass * ((1 - residual) * row[static_cast<std::size_t>(k)] / sum + (k == q ? residual : 0));
            weight > 0) {
          edges.push_back({l, q, k, weight});
          next[static_cast<std::size_t>(k)] += weight;
        }
    }
    flow.all += edges.size();
    std::stable_sort(edges.begin(), edges.end(),
                     [](const FlowEdge& a, const FlowEdge& b) { return a.weight > b.weight; });
    double kept = 0;
    for (const FlowEdge& edge : edges) {
      if (kept >= share - 1e-12 || flow.edges.size() >= most_edges) break;
      kept += edge.weight;
      flow.edges.push_back(edge);
    }
    flow.arrived = std::move(next);
  }
  std::reverse(flow.edges.begin(), flow.edges.end());
  return flow;
}

}  // namespace

std::string flow_figure(const Report& report, const FigureOptions& options, const std::string& metadata) {
  if (!(options.share > 0 && options.share <= 1))
    throw InputError(fmt::format("--share: expected above 0 and at most 1, found {}", options.share));
  const Attribution& result = chosen_result(report, options, "flow", has_layers_of_mixing);
  const bool attention_alone = method_named(result.method)->mixing == Mixing::Partial;
  const double residual = options.residual.value_or(attention_alone ? 0.5 : 0);
  if (!(residual >= 0 && residual < 1))
    throw InputError(fmt::format("--residual: expected from 0 to below 1, found {}", residual));
  const Index T = unit_count(report), L = layer_count(result),
              from = options.row.empty() ? focus_row(report) : row_named(report, options.row);
  const Flow flow = flow_back(report, result, from, residual, options.share);
  const double step = std::clamp(900.0 / static_cast<double>(T), 9.0, 66.0),
               level = std::clamp(420.0 / static_cast<double>(L), 30.0, 64.0);
  double names = 0;
  std::vector<std::string> labels;
  for (const Unit& unit : report.prediction.units) {
    labels.push_back(cut_to_width(token_word(unit), 11, 120));
    names = std::max(names, drawn_width(labels.back(), 11));
  }
  const bool turned = names > step - 4;
  const double below = (turned ? names : 14) + 10;
  const double width = std::max(520.0, flow_left + step * static_cast<double>(T) + 2 * sheet_edge),
               floor = flow_top + level * static_cast<double>(L);
  Svg svg(width, floor + bars_room + below + flow_foot, sentence_of(report));
  draw_sheet(svg, sentence_of(report),
             fmt::format(
                 "{}: what {} holds at the end, read layer by layer; {} of {} edges, {:.0f} % of every layer",
                 name_of(result), token_word(report.prediction.units[static_cast<std::size_t>(from)]),
                 flow.edges.size(), flow.all, 100 * options.share),
             report.record);
  const auto x = [&](Index t) { return flow_left + sheet_edge + step * (static_cast<double>(t) + 0.5); };
  const auto y = [&](Index l) { return floor - level * static_cast<double>(l); };
  for (Index l = 0; l <= L; ++l) {
    svg.text({sheet_edge, y(l) + 4}, l == 0 ? "input" : fmt::format("layer {}", l - 1), small_text());
    for (Index t = 0; t < T; ++t) svg.rect({x(t) - 1, y(l) - 1, 2, 2}, grid_ink);
  }
  for (const FlowEdge& edge : flow.edges)
    svg.line(
        {x(edge.query), y(edge.layer + 1)}, {x(edge.key), y(edge.layer)},
        {.colour = {0x1e, 0x6c, 0xb2},
         .width = 0.4 + 5 * edge.weight,
         .opacity = 0.25 + 0.7 * std::min(1.0, 2 * edge.weight)},
        fmt::format("layer {}: {} reads {}: {:.4f}", edge.layer, labels[static_cast<std::size_t>(edge.query)],
                    labels[static_cast<std::size_t>(edge.key)], edge.weight));
  svg.rect({x(from) - 4, y(L) - 4, 8, 8}, {0xc2, 0x57, 0x0c}, labels[static_cast<std::size_t>(from)]);
  const double most = *std::max_element(flow.arrived.begin(), flow.arrived.end());
  for (Index t = 0; t < T; ++t) {
    const double share = flow.arrived[static_cast<std::size_t>(t)],
                 tall = most > 0 ? (bars_room - 22) * share / most : 0;
    svg.rect({x(t) - step * 0.36, floor + 8, step * 0.72, std::max(0.3, tall)}, {0x1e, 0x6c, 0xb2},
             fmt::format("{}: {:.4f}", labels[static_cast<std::size_t>(t)], share));
    svg.text(turned ? Point{x(t) + 4, floor + bars_room} : Point{x(t), floor + bars_room + 8},
             labels[static_cast<std::size_t>(t)],
             {.anchor = turned ? TextStyle::Anchor::End : TextStyle::Anchor::Middle,
              .size = 11,
              .bold = t == from,
              .upwards = turned});
  }
  svg.text({sheet_edge, floor + 18}, fmt::format("≤ {:.2f}", most), small_text());
  return svg.str(metadata);
}

}  // namespace headwater
