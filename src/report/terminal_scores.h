// One attribution on a terminal: what is asked, the text with its scores, what the colours mean, the
// strongest tokens of every layer, checks and notes.
//
// With colour the text runs as it was written, painted, and the strongest tokens have their numbers beside
// them. Without colour a short text is a bar per token; a long one runs as well, its strongest tokens in
// braces with their numbers.
#pragma once

#include <string>

#include <headwater/formats.h>
#include <headwater/report.h>

namespace headwater {

std::string scores_view(const Report& report, const Attribution& attribution, const TerminalFormat& format);

// Eighths of a column, so that small differences show; what exceeds the scale ends in "▶". What counts
// against is shaded.
std::string bar(double share, int columns);

}  // namespace headwater
