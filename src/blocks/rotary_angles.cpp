// inverse frequency j = θ^(−2j/E), angle = position · inverse frequency       (Su et al., 2021)
//
// "linear" divides every frequency by a factor. "llama3" divides only long wavelengths λ = 2π / frequency:
// all of those above N/low, none of those below N/high, and in between a blend with weight
// s = (N/λ − low) / (high − low), N being the length the model was first trained on.

#include "blocks/rotary_angles.h"

#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <headwater/error.h>

namespace headwater {
namespace {

// New files keep everything in rope_parameters; old ones have rope_theta and rope_scaling.
Config rope_section(const Config& config) {
  return config.section(config.has("rope_parameters") ? "rope_parameters" : "rope_scaling");
}

void stretch_llama3(std::vector<double>& frequencies, const Config& rope, const Config& config) {
  const double factor = rope.number("factor");
  const double low = rope.number("low_freq_factor"), high = rope.number("high_freq_factor");
  const auto trained = static_cast<double>(
      rope.positive("original_max_position_embeddings", config.positive("max_position_embeddings", 2048)));
  if (factor <= 0 || low <= 0 || high <= low)
    throw FormatError(
        fmt::format("{}: expected factor > 0 and 0 < low_freq_factor < high_freq_factor", rope.where()));
  for (double& f : frequencies) {
    const double wavelength = 2 * std::numbers::pi / f;
    if (wavelength > trained / low) {
      f /= factor;
    } else if (wavelength >= trained / high) {
      const double s = (trained / wavelength - low) / (high - low);
      f = (1 - s) * f / factor + s * f;
    }
  }
}

}  // namespace

std::vector<double> read_inverse_frequencies(const Config& config, Index head_width) {
  const Config rope = rope_section(config);
  const double theta = rope.number("rope_theta", config.number("rope_theta", 10000.0));
  const std::string type = rope.text("rope_type", rope.text("type", "default"));
  const double partial = rope.number("partial_rotary_factor", config.number("partial_rotary_factor", 1.0));
  if (head_width % 2 != 0 || theta <= 0)
    throw FormatError(fmt::format("{}: expected an even head width and rope_theta > 0, found {} and {}",
                                  config.where(), head_width, theta));
  if (partial != 1)
    throw Unsupported(fmt::format("{}: partial_rotary_factor {} is not implemented; supported is 1",
                                  config.where(), partial));
  std::vector<double> frequencies;
  for (Index j = 0; j < head_width / 2; ++j)
    frequencies.push_back(std::pow(theta, -2.0 * static_cast<double>(j) / static_cast<double>(head_width)));
  if (type == "linear") {
    const double factor = rope.number("factor");
    if (factor <= 0) throw FormatError(rope.where() + ": expected factor > 0");
    for (double& f : frequencies) f /= factor;
  } else if (type == "llama3") {
    stretch_llama3(frequencies, rope, config);
  } else if (type != "default") {
    throw Unsupported(
        fmt::format("{}: rope_type '{}' is not implemented; supported are default, linear and llama3",
                    config.where(), type));
  }
  return frequencies;
}

RotaryTables rotary_tables(const std::vector<double>& inverse_frequencies, Index first, Index tokens,
                           DType dtype) {
  const auto half = static_cast<Index>(inverse_frequencies.size());
  RotaryTables tables{.cos = Tensor({tokens, half}, dtype), .sin = Tensor({tokens, half}, dtype)};
  dispatch(dtype, [&]<class R>(R) {
    for (Index t = 0; t < tokens; ++t)
      for (Index j = 0; j < half; ++j) {
        const double angle = static_cast<double>(first + t) * inverse_frequencies[as_size(j)];
        tables.cos.data<R>()[t * half + j] = static_cast<R>(std::cos(angle));
        tables.sin.data<R>()[t * half + j] = static_cast<R>(std::sin(angle));
      }
  });
  return tables;
}

}  // namespace headwater
