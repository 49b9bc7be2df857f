// Figures of one explanation as SVG: what the page shows, for print.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <headwater/report.h>

namespace headwater {

struct FigureOptions {
  std::string method;  // a result by its name; empty: the first that has such a figure
  std::string map;     // for encoder–decoders, by its name: "cross", "decoder_to_source"; empty: the last
  Index layer = -1;    // −1: the layer a reader should see first
  Index head = -1;     // −1: the mean over heads
  bool all_heads = false;  // grid: the mean and every head of every layer, or of `layer`
  std::string row;  // flow: where it ends, a token or its position; empty: the row the output was read from
  // flow and heads: the share of every layer's weight to draw, the strongest edges first. Default: 0.8 for a
  // flow, 0.4 for heads.
  std::optional<double> share = {};
  // flow: the share that every token keeps of itself per layer. Default: half for maps of attention alone, as
  // in rollout, and none for maps that contain the residual path.
  std::optional<double> residual = {};
  std::optional<bool> shared = {};  // one scale for all layers. Default: unless a layer would be blank
};

struct Figure {
  const char* name;
  const char* shows;
  // Throws InputError if the report has no such figure.
  std::string (*draw)(const Report& report, const FigureOptions& options, const std::string& metadata);
};
std::span<const Figure> figures();  // figures of a report: strip, grid, matrix, heads, flow, overlay

std::string strip_figure(const Report& report, const FigureOptions& options, const std::string& metadata);
std::string grid_figure(const Report& report, const FigureOptions& options, const std::string& metadata);
std::string matrix_figure(const Report& report, const FigureOptions& options, const std::string& metadata);
std::string heads_figure(const Report& report, const FigureOptions& options, const std::string& metadata);
std::string flow_figure(const Report& report, const FigureOptions& options, const std::string& metadata);
std::string overlay_figure(const Report& report, const FigureOptions& options, const std::string& metadata);

// Draws several targets over one picture. Throws InputError for texts, for different pictures and for
// different methods.
std::string overlay_figure(std::span<const Report> reports, const std::string& metadata);

// The maps of a result, or the requested one. Throws InputError.
std::vector<const Map*> chosen_maps(const Attribution& result, const FigureOptions& options);

// Checks the number of a layer or a head; −1 means none. Throws InputError.
void require_below(const char* option, Index found, Index count);

// The share for flow and heads. Throws InputError.
double drawn_share(const FigureOptions& options, double otherwise);

// The result of this name, or the first that `fits`. Throws InputError with the names of the results.
const Attribution& chosen_result(const Report& report, const FigureOptions& options, const char* figure,
                                 bool (*fits)(const Attribution&));

}  // namespace headwater
