// The matrix of a text that the model wrote: one line per token, with the units it depends on.
#pragma once

#include <string>

#include <headwater/formats.h>

namespace headwater {

// Draws the detail "generated" (engine/generated.h); empty if there is none. It has one cell per unit if they
// fit, each row scaled to its strongest, and the names of the strongest units.
std::string generated_view(const Report& report, const Attribution& attribution,
                           const TerminalFormat& format);

}  // namespace headwater
