// Maps over the units of an input, a panel for each layer or head, as one picture.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <headwater/report.h>

namespace headwater {

struct MapPanel {
  std::string name;           // "layer 3"
  std::string place;          // "L3 mean of heads", as its cells have it in their tips
  std::vector<double> cells;  // [row · columns + column]; NaN: none
  double scale = 0;           // what the darkest colour stands for
};

double largest_size(const std::vector<double>& cells);  // the largest size of a number

struct MapPanels {
  std::string title, subtitle;
  std::vector<std::string> rows, columns;  // names of the units
  std::vector<MapPanel> panels;
  bool shared = false;  // whether they have one scale
  std::size_t in_a_row = 4;
  bool dense = false;  // many small ones; names of rows and columns stand at the sheet's edge alone
};

// The unit that reads on the left, the unit that is read below. A single panel is large, with the sums of its
// rows and columns beside it, and numbers in its cells where they fit. Of very many cells in all a panel is
// an image inside the figure, and its cells say nothing.
std::string map_panels_svg(const MapPanels& maps, const RunRecord& record, std::string_view metadata);

}  // namespace headwater
