#include "base/encoding.h"

#include <bit>
#include <cmath>
#include <map>
#include <span>

#include "base/files.h"

namespace headwater {

std::string base64(std::string_view bytes) {
  static constexpr char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < left ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) out += k <= left ? alphabet[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

std::string sha256_base64(std::string_view bytes) {
  const std::string hex = sha256_hex(std::as_bytes(std::span(bytes.data(), bytes.size())));
  std::string raw;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    raw += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return base64(raw);
}

std::uint16_t half_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000;
  const double magnitude = std::abs(static_cast<double>(value));
  if (std::isnan(value)) return 0x7e00;
  if (magnitude >= 65520) return static_cast<std::uint16_t>(sign | 0x7c00);
  if (magnitude < 0x1p-14)  // subnormal: a multiple of 2^-24; nearbyint rounds to even
    return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(std::nearbyint(magnitude * 0x1p24)));
  int exponent = 0;
  const double fraction = std::frexp(magnitude, &exponent);                           // in [½, 1)
  const auto mantissa = static_cast<std::uint32_t>(std::nearbyint(fraction * 2048));  // 1024 … 2048
  // A mantissa that rounded up to 2048 carries into the exponent by itself.
  return static_cast<std::uint16_t>(sign |
                                    ((static_cast<std::uint32_t>(exponent + 14) << 10) + (mantissa - 1024)));
}

std::string html_escaped(std::string_view text) {
  static const std::map<char, std::string_view> escapes{
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  std::string out;
  for (const char c : text)
    if (const auto found = escapes.find(c); found != escapes.end())
      out += found->second;
    else
      out += c;
  return out;
}

}  // namespace headwater
