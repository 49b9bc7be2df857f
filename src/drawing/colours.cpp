// A weight's colour is interpolated linearly between nine fixed points; WCAG 2.1 defines luminance and
// contrast.
#include "drawing/colours.h"

#include <algorithm>
#include <array>
#include <cmath>

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

int mixed_channel(int a, int b, double t) {
  return static_cast<int>(std::lround(a + (b - a) * t));
}

}  // namespace

Rgb colour_of(double share) {
  const std::array<Rgb, 9>& hue = share < 0 ? orange_ramp : blue_ramp;
  const double at = std::clamp(std::isfinite(share) ? std::abs(share) : 0.0, 0.0, 1.0) *
                    static_cast<double>(hue.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(at), hue.size() - 2);
  const double t = at - static_cast<double>(i);
  const Rgb &a = hue[i], &b = hue[i + 1];
  return {mixed_channel(a.r, b.r, t), mixed_channel(a.g, b.g, t), mixed_channel(a.b, b.b, t)};
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
