// SVG as a file that papers and slides take.
#pragma once

#include <string>

namespace headwater {

// `format`: "pdf", vectors with their fonts inside, or "png", two pixels for each of the drawing's. Throws
// Unsupported where the system has no librsvg.
std::string picture_of_svg(const std::string& svg, const std::string& format);

}  // namespace headwater
