// Figures of one explanation, as SVG: what the page shows, for print.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <headwater/report.h>

namespace headwater {

struct FigureOptions {
  std::string method;      // a result by its name; empty: the first that has such a figure
  std::string map;         // of encoder–decoders: "encoder", "decoder" or "cross"; empty: the last
  Index layer = -1;        // −1: the one a reader should see first
  Index head = -1;         // −1: the mean over heads
  bool all_heads = false;  // grid: the mean and every head of every layer, or of `layer`
  std::string row;  // flow: where it ends, a token or its position; empty: the row the output was read from
  // flow and heads: how much of every layer is drawn, the strongest edges first. Nothing: 0.8 of a flow,
  // 0.4 of heads.
  std::optional<double> share = {};
  // flow: what every token keeps of itself in a layer. Nothing: half for maps of attention alone, none for
  // those that have the residual path inside, as rollout does.
  std::optional<double> residual = {};
  std::optional<bool> shared = {};  // one scale for all layers. Nothing: unless that leaves one of them blank
};

struct Figure {
  const char* name;
  const char* shows;
  // Throws InputError where the report has no such figure.
  std::string (*draw)(const Report& report, const FigureOptions& options, const std::string& metadata);
};
std::span<const Figure> figures();  // of a report: strip, grid, matrix, heads, flow, overlay

std::string strip_figure(const Report& report, const FigureOptions& options, const std::string& metadata);
std::string grid_figure(const Report& report, const FigureOptions& options, const std::string& metadata);
std::string matrix_figure(const Report& report, const FigureOptions& options, const std::string& metadata);
std::string heads_figure(const Report& report, const FigureOptions& options, const std::string& metadata);
std::string flow_figure(const Report& report, const FigureOptions& options, const std::string& metadata);
std::string overlay_figure(const Report& report, const FigureOptions& options, const std::string& metadata);

// Several targets over one picture. Throws InputError for texts, other pictures or other methods.
std::string overlay_figure(std::span<const Report> reports, const std::string& metadata);

// The maps of a result, or the one of several that is asked for. Throws InputError.
std::vector<const Map*> chosen_maps(const Attribution& result, const FigureOptions& options);

// Of a layer or a head, −1 being none. Throws InputError.
void require_below(const char* option, Index found, Index count);

// The share of flow and heads. Throws InputError.
double drawn_share(const FigureOptions& options, double otherwise);

// The result of this name, or the first that `fits`. Throws InputError, naming what there is.
const Attribution& chosen_result(const Report& report, const FigureOptions& options, const char* figure,
                                 bool (*fits)(const Attribution&));

}  // namespace headwater
