#include "drawing/figure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <headwater/error.h>

namespace headwater {

std::span<const Figure> figures() {
  static constexpr Figure all[]{
      {"strip", "the text with coloured tokens, one row per method", strip_figure},
      {"grid", "a map per layer, or per layer and head, side by side", grid_figure},
      {"matrix", "one layer's map, with the sums of its rows and columns", matrix_figure},
      {"heads", "what the heads of one layer read, as lines", heads_figure},
      {"flow", "what reached the output through which tokens, layer by layer", flow_figure},
      {"overlay", "the patches' scores over the picture", overlay_figure},
  };
  return all;
}

std::vector<const Map*> chosen_maps(const Attribution& result, const FigureOptions& options) {
  std::vector<const Map*> maps;
  std::vector<std::string> names;
  for (const Map& map : result.maps) {
    if (options.map.empty() || map.name == options.map) maps.push_back(&map);
    if (!map.name.empty()) names.push_back(map.name);
  }
  if (maps.empty())
    throw InputError(fmt::format("--map: expected {} of {}, found '{}'",
                                 names.empty() ? "none" : fmt::format("one of {}", fmt::join(names, ", ")),
                                 name_of(result), options.map));
  return maps;
}

void require_below(const char* option, Index found, Index count) {
  if (found >= count || found < -1)
    throw InputError(fmt::format("{}: expected a number from 0 to {}, found {}", option, count - 1, found));
}

double drawn_share(const FigureOptions& options, double otherwise) {
  const double share = options.share.value_or(otherwise);
  if (!(share > 0 && share <= 1))
    throw InputError(fmt::format("--share: expected above 0 and at most 1, found {}", share));
  return share;
}

const Attribution& chosen_result(const Report& report, const FigureOptions& options, const char* figure,
                                 bool (*fits)(const Attribution&)) {
  std::vector<std::string> names;
  for (const Attribution& result : report.attributions) {
    names.push_back(name_of(result));
    if (options.method.empty() ? fits(result) : name_of(result) == options.method) {
      if (fits(result)) return result;
      throw InputError(fmt::format("plot: expected a result with maps for a {}, found {}, which has none",
                                   figure, names.back()));
    }
  }
  if (!options.method.empty())
    throw InputError(fmt::format("plot: expected a method of the result ({}), found '{}'",
                                 fmt::join(names, ", "), options.method));
  throw InputError(fmt::format("plot: expected a result that a {} can be drawn of, found {}", figure,
                               fmt::join(names, ", ")));
}

}  // namespace headwater
