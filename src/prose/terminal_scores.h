// One attribution on a terminal: the question, the text with its scores, the meaning of the colours, the
// strongest tokens of every layer, checks and notes.
//
// With colour the text is painted as running text, and the strongest tokens show their numbers. Without
// colour a short text has one bar per token; a long text runs too, with its strongest tokens and their
// numbers in braces.
#pragma once

#include <string>

#include <headwater/formats.h>
#include <headwater/report.h>

namespace headwater {

std::string scores_view(const Report& report, const Attribution& attribution, const TerminalFormat& format);

// A bar in eighths of a column, so that small differences show. A bar beyond the scale ends in "▶", and what
// counts against is shaded.
std::string bar(double share, int columns);

}  // namespace headwater
