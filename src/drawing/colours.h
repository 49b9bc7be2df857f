// The colour of a weight: blue from light to dark, and orange for what counts against. Terminal and page use
// the same colours, and text on them keeps a contrast of at least 4.5 : 1.
#pragma once

#include <string>

#include <headwater/formats.h>

namespace headwater {

struct Rgb {
  int r, g, b;
};

Rgb colour_of(double share);       // −1 … 1, clamped; light to dark, orange below 0
double linear_light(int channel);  // linear light of an sRGB channel, 0 … 1
double luminance(Rgb colour);      // WCAG's relative luminance
Rgb text_on(Rgb background);       // black or white, whichever contrasts more
double contrast(Rgb a, Rgb b);     // WCAG's ratio, 1 … 21

// The text with that background for this terminal; unchanged without colour.
std::string painted(const std::string& text, double share, TerminalFormat::Colour colour);

std::string bold(const std::string& text, TerminalFormat::Colour colour);
std::string dim(const std::string& text, TerminalFormat::Colour colour);

}  // namespace headwater
