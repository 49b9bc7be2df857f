// Colours for a map over a picture: equal steps of a value look equally far apart.
#pragma once

#include "report/colours.h"

namespace headwater {

// 0 … 1 (clamped): dark violet over red to light yellow; lightness grows in proportion to the share.
Rgb sequential_colour(double share);
// −1 … 1 (clamped): blue counts for, orange against, grey is 0; colour grows in proportion, lightness stays.
Rgb diverging_colour(double share);

}  // namespace headwater
