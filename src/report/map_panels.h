// Maps over the units of an input, a panel for each layer or head, as one picture.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <headwater/report.h>

namespace headwater {

struct MapPanel {
  std::string name;           // "layer 3"
  std::vector<double> cells;  // [row · columns + column]; NaN: none
};

struct MapPanels {
  std::string title, subtitle;
  std::vector<std::string> rows, columns;  // names of the units
  std::vector<MapPanel> panels;
  bool shared = false;  // one scale for all panels; otherwise a panel's darkest cell is its largest
};

// The unit that reads on the left, the unit that is read below. A single panel is large, with the sums of its
// rows and columns beside it, and numbers in its cells where they fit.
std::string map_panels_svg(const MapPanels& maps, const RunRecord& record, std::string_view metadata);

}  // namespace headwater
