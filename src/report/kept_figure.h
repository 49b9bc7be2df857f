// A figure of a result, at once or of its JSON.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "report/figure.h"

namespace headwater {

struct KeptFigure {
  std::string
      kind;  // a figure of a report, "tree" or "curves"; empty: what the file has, a strip or an overlay
  FigureOptions how;
  std::function<std::string(const Report&)> picture;  // what the model saw of a report's image, as PNG
};

// As SVG: of a report as its view shows it (`viewed`), and the command that repeats it. Throws InputError for
// what there is no figure of.
std::string figure_of_report(const Report& report, const std::string& command, const KeptFigure& asked);

// The same of what was just measured, and of one picture also for several targets.
std::string figure_of_reports(std::span<const Report> measured, const std::string& kind);

// As SVG, whatever explain, tree, heads, prune or evaluate wrote. Throws InputError for what there is no
// figure of, FormatError for a file that is none of them.
std::string figure_of_file(const std::string& file, const KeptFigure& asked);

}  // namespace headwater
