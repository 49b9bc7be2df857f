// A figure of a result that was kept as JSON.
#pragma once

#include <functional>
#include <string>

#include "base/json_fwd.h"
#include "report/figure.h"

namespace headwater {

struct KeptFigure {
  std::string
      kind;  // a figure of a report, "tree" or "curves"; empty: what the file has, a strip or an overlay
  FigureOptions how;
  std::function<std::string(const Report&)> picture;  // what the model saw of a report's image, as PNG
};

// As SVG, whatever explain, tree, heads, prune or evaluate wrote. Throws InputError for what there is no
// figure of, FormatError for a file that is none of them.
std::string figure_of(const Json& json, const std::string& file, const KeptFigure& asked);
std::string figure_of_file(const std::string& file, const KeptFigure& asked);

}  // namespace headwater
