// SVG converted for papers and slides.
#pragma once

#include <string>

namespace headwater {

// `format` is "pdf" (vectors with embedded fonts) or "png" (two pixels for each of the drawing's). Throws
// Unsupported if the system has no librsvg.
std::string picture_of_svg(const std::string& svg, const std::string& format);

}  // namespace headwater
