// Maps over the tokens of one text, layer by layer, as one picture.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <headwater/report.h>

namespace headwater {

struct LayerMaps {
  std::string title, subtitle;
  std::vector<std::string> tokens;
  std::vector<std::vector<double>> layers;  // [layer][query · T + key], from 0 on
};

// A field per layer, the token written on the left, the token read below; a layer's darkest cell is its
// largest.
std::string layer_maps_svg(const LayerMaps& maps, const RunRecord& record, std::string_view metadata);

}  // namespace headwater
