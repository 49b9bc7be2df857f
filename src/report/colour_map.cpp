// Both maps are curves in Oklab (Ottosson, 2020), where distances are close to perceived ones. With hue h and
// chroma c a colour is (L, c cos h, c sin h), and
//
//   sequential  L = 0.20 + 0.75 s,  h = 285° + 170° s,  c = 0.06 + 0.01 s + 0.12 sin πs
//   diverging   L = 0.70,           h = 250° or 55°,    c = 0.13 |s|
//
// Oklab is linear in the cube roots of three cone responses, which are linear in light; sRGB encodes light.
// The coefficients below are those of its definition.
#include "report/colour_map.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace headwater {

namespace {

int encoded(double light) {
  const double c = std::clamp(light, 0.0, 1.0);
  const double v = c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055;
  return static_cast<int>(std::lround(255 * v));
}

Rgb from_oklab(double L, double chroma, double degrees) {
  const double h = degrees * std::numbers::pi / 180, a = chroma * std::cos(h), b = chroma * std::sin(h);
  const auto cube = [](double x) { return x * x * x; };
  const double l = cube(L + 0.3963377774 * a + 0.2158037573 * b);
  const double m = cube(L - 0.1055613458 * a - 0.0638541728 * b);
  const double s = cube(L - 0.0894841775 * a - 1.2914855480 * b);
  return {encoded(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          encoded(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          encoded(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

}  // namespace

Rgb sequential_colour(double share) {
  const double s = std::clamp(std::isfinite(share) ? share : 0.0, 0.0, 1.0);
  return from_oklab(0.20 + 0.75 * s, 0.06 + 0.01 * s + 0.12 * std::sin(std::numbers::pi * s), 285 + 170 * s);
}

Rgb diverging_colour(double share) {
  const double s = std::clamp(std::isfinite(share) ? share : 0.0, -1.0, 1.0);
  return from_oklab(0.70, 0.13 * std::abs(s), s > 0 ? 250 : 55);
}

}  // namespace headwater
