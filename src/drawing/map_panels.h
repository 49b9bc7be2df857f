// Maps over the units of an input as one picture, with one panel per layer or head.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <headwater/report.h>

namespace headwater {

struct MapPanel {
  std::string name;           // "layer 3"
  std::string place;          // "L3 mean of heads", as in the tips of its cells
  std::vector<double> cells;  // [row · columns + column]; NaN: none
  double scale = 0;           // the value of the darkest colour
};

double largest_size(const std::vector<double>& cells);  // the largest absolute value

struct MapPanels {
  std::string title, subtitle;
  std::vector<std::string> rows, columns;  // names of the units
  std::vector<MapPanel> panels;
  bool shared = false;  // whether all panels share one scale
  std::size_t in_a_row = 4;
  bool dense = false;  // many small panels; names of rows and columns are only at the sheet's edge
};

// Draws the unit that reads on the left and the unit that is read below. A single panel is large, with the
// sums of its rows and columns beside it and numbers in its cells if they fit. If there are very many cells,
// a panel is an image inside the figure and its cells have no tips.
std::string map_panels_svg(const MapPanels& maps, const RunRecord& record, std::string_view metadata);

}  // namespace headwater
