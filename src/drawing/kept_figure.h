// A figure of a result, from memory or from its JSON.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "base/json_fwd.h"
#include "drawing/figure.h"

namespace headwater {

struct KeptFigure {
  // A figure of a report, "tree" or "curves"; empty: what the file has, otherwise a strip or an overlay.
  std::string kind;
  FigureOptions how;
  std::function<std::string(const Report&)>
      picture;  // the part of a report's image that the model saw, as PNG
};

// Draws a report as its view shows it (`viewed`) as SVG; `command` repeats it. Throws InputError if there is
// no such figure.
std::string figure_of_report(const Report& report, const std::string& command, const KeptFigure& asked);

// Draws reports that were just measured; for one picture also with several targets.
std::string figure_of_reports(std::span<const Report> measured, const std::string& kind);

// Draws as SVG what explain, tree, heads, prune or evaluate wrote. Throws InputError if there is no such
// figure, FormatError for anything else.
std::string figure_of(const Json& json, const std::string& file, const KeptFigure& asked);
std::string figure_of_file(const std::string& file, const KeptFigure& asked);

}  // namespace headwater
