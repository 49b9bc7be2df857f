// The colour of a weight: one hue of blue from light to dark, orange for what counts against, the same in
// terminal and page, with text that keeps a contrast of at least 4.5 : 1 on it.
#pragma once

#include <string>

#include <headwater/formats.h>

namespace headwater {

struct Rgb {
  int r, g, b;
};

Rgb colour_of(double share);       // −1 … 1, clamped; light to dark, orange below 0
double linear_light(int channel);  // of a channel of sRGB, 0 … 1
double luminance(Rgb colour);      // WCAG's relative luminance
Rgb text_on(Rgb background);       // black or white, whichever contrasts more
double contrast(Rgb a, Rgb b);     // WCAG's ratio, 1 … 21

// Of a map over a picture, where equal steps of a value look equally far apart.
// 0 … 1 (clamped): dark violet over red to light yellow; lightness grows in proportion to the share.
Rgb sequential_colour(double share);
// −1 … 1 (clamped): blue counts for, orange against, grey is 0; colour grows in proportion, lightness stays.
Rgb diverging_colour(double share);

// The text on that background for this terminal; unchanged without colour.
std::string painted(const std::string& text, double share, TerminalFormat::Colour colour);

std::string bold(const std::string& text, TerminalFormat::Colour colour);
std::string dim(const std::string& text, TerminalFormat::Colour colour);

}  // namespace headwater
