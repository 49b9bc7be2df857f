// A weight's ramp runs straight through nine fixed points; WCAG 2.1 defines luminance and contrast.
//
// The maps over pictures are curves in Oklab (Ottosson, 2020), where distances are close to perceived ones.
// With hue h and chroma c a colour is (L, c cos h, c sin h), and
//
//   sequential  L = 0.20 + 0.75 s,  h = 285° + 170° s,  c = 0.06 + 0.01 s + 0.12 sin πs
//   diverging   L = 0.70,           h = 250° or 55°,    c = 0.13 |s|
//
// Oklab is linear in the cube roots of three cone responses, which are linear in light; sRGB encodes light.
// The coefficients below are those of its definition.
#include "report/colours.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace headwater {

namespace {

constexpr std::array<Rgb, 9> blue_ramp{{{246, 250, 255},
                                        {222, 235, 249},
                                        {197, 219, 242},
                                        {160, 200, 232},
                                        {109, 172, 218},
                                        {65, 142, 201},
                                        {30, 108, 178},
                                        {12, 78, 146},
                                        {8, 46, 100}}};
constexpr std::array<Rgb, 9> orange_ramp{{{255, 250, 245},
                                          {253, 232, 214},
                                          {251, 212, 180},
                                          {246, 184, 136},
                                          {236, 149, 88},
                                          {217, 115, 48},
                                          {184, 84, 20},
                                          {143, 60, 10},
                                          {98, 38, 6}}};
// The nearest colours of the 256-colour cube, light to dark.
constexpr std::array<int, 8> indexed{231, 195, 153, 117, 74, 32, 25, 18};
constexpr std::array<int, 8> indexed_against{231, 230, 223, 216, 209, 166, 130, 94};

int mixed(int a, int b, double t) {
  return static_cast<int>(std::lround(a + (b - a) * t));
}

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

Rgb colour_of(double share) {
  const std::array<Rgb, 9>& hue = share < 0 ? orange_ramp : blue_ramp;
  const double at = std::clamp(std::isfinite(share) ? std::abs(share) : 0.0, 0.0, 1.0) *
                    static_cast<double>(hue.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(at), hue.size() - 2);
  const double t = at - static_cast<double>(i);
  const Rgb &a = hue[i], &b = hue[i + 1];
  return {mixed(a.r, b.r, t), mixed(a.g, b.g, t), mixed(a.b, b.b, t)};
}

double linear_light(int channel) {
  const double c = channel / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

double luminance(Rgb colour) {
  return 0.2126 * linear_light(colour.r) + 0.7152 * linear_light(colour.g) + 0.0722 * linear_light(colour.b);
}

double contrast(Rgb a, Rgb b) {
  const auto [low, high] = std::minmax({luminance(a), luminance(b)});  // the list form returns values
  return (high + 0.05) / (low + 0.05);
}

Rgb text_on(Rgb background) {
  const Rgb black{0, 0, 0}, white{255, 255, 255};
  return contrast(black, background) >= contrast(white, background) ? black : white;
}

Rgb sequential_colour(double share) {
  const double s = std::clamp(std::isfinite(share) ? share : 0.0, 0.0, 1.0);
  return from_oklab(0.20 + 0.75 * s, 0.06 + 0.01 * s + 0.12 * std::sin(std::numbers::pi * s), 285 + 170 * s);
}

Rgb diverging_colour(double share) {
  const double s = std::clamp(std::isfinite(share) ? share : 0.0, -1.0, 1.0);
  return from_oklab(0.70, 0.13 * std::abs(s), s > 0 ? 250 : 55);
}

std::string painted(const std::string& text, double share, TerminalFormat::Colour colour) {
  if (colour == TerminalFormat::Colour::None) return text;
  if (colour == TerminalFormat::Colour::Ansi256) {
    const std::array<int, 8>& hue = share < 0 ? indexed_against : indexed;
    const double at = std::clamp(std::isfinite(share) ? std::abs(share) : 0.0, 0.0, 1.0) *
                      static_cast<double>(hue.size() - 1);
    const auto i = static_cast<std::size_t>(std::lround(at));
    return fmt::format("\x1b[48;5;{};38;5;{}m{}\x1b[0m", hue[i], i < 5 ? 16 : 231, text);
  }
  const Rgb back = colour_of(share), front = text_on(back);
  return fmt::format("\x1b[48;2;{};{};{};38;2;{};{};{}m{}\x1b[0m", back.r, back.g, back.b, front.r, front.g,
                     front.b, text);
}

std::string bold(const std::string& text, TerminalFormat::Colour colour) {
  return colour == TerminalFormat::Colour::None ? text : "\x1b[1m" + text + "\x1b[0m";
}

std::string dim(const std::string& text, TerminalFormat::Colour colour) {
  return colour == TerminalFormat::Colour::None ? text : "\x1b[2m" + text + "\x1b[0m";
}

}  // namespace headwater
