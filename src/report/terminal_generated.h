// The matrix of a text that the model wrote: a line per token, what it rests on of all that stands before it.
#pragma once

#include <string>

#include <headwater/formats.h>

namespace headwater {

// Of the detail "generated" (engine/generated.h); empty without one. A cell per unit where they fit, each row
// scaled to its strongest, and the strongest units by name.
std::string generated_view(const Report& report, const Attribution& attribution,
                           const TerminalFormat& format);

}  // namespace headwater
