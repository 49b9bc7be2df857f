// PIL's resampling, number for number. An output pixel at x looks at the input around c = (x + ½)·s with
// s = in/out; the filter is stretched by max(s, 1), which is the antialiasing. Its weights are normalised to
// sum 1 and rounded to 22 fractional bits, and each of the two passes rounds to 8 bits. The passes go over
// rows, then columns; from version 13 on PIL takes the columns first when the height shrinks by more pixels
// than twice what the width shrinks by, and so do we.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/parallel.h"
#include "image/image.h"

namespace headwater {
namespace {

constexpr int fraction_bits = 22;
constexpr std::int64_t max_between = std::int64_t{1} << 27U;  // pixels between the passes

struct Filter {
  double support;
  double (*weight)(double);
};

double triangle(double x) {
  return std::max(0.0, 1.0 - std::abs(x));
}

double bicubic(double x) {
  constexpr double a = -0.5;
  x = std::abs(x);
  if (x < 1.0) return ((a + 2.0) * x - (a + 3.0)) * x * x + 1;
  if (x < 2.0) return (((x - 5) * x + 8) * x - 4) * a;
  return 0.0;
}

double sinc(double x) {
  if (x == 0.0) return 1.0;
  x *= std::numbers::pi;
  return std::sin(x) / x;
}

double lanczos(double x) {
  return x >= -3.0 && x < 3.0 ? sinc(x) * sinc(x / 3) : 0.0;
}

Filter filter_of(Resample resample) {
  if (resample == Resample::Bilinear) return {1.0, triangle};
  if (resample == Resample::Bicubic) return {2.0, bicubic};
  return {3.0, lanczos};
}

// For each output position: which input positions, from `begin`, and with what weights.
struct Taps {
  int stride = 0;
  std::vector<int> begin, count;
  std::vector<std::int32_t> weights;  // [out, stride]
};

Taps make_taps(int in, int out, const Filter& filter) {
  const double scale = static_cast<double>(in) / out;
  const double stretch = std::max(scale, 1.0);
  const double support = filter.support * stretch;
  const auto n = static_cast<std::size_t>(out);
  Taps taps{.stride = std::min(static_cast<int>(std::ceil(support)) * 2 + 1, in),
            .begin = std::vector<int>(n),
            .count = std::vector<int>(n),
            .weights = {}};
  taps.weights.resize(n * static_cast<std::size_t>(taps.stride));
  std::vector<double> exact;
  for (std::size_t x = 0; x < n; ++x) {
    const double centre = (static_cast<double>(x) + 0.5) * scale;
    const int begin = std::max(0, static_cast<int>(centre - support + 0.5));
    const int end = std::min(in, static_cast<int>(centre + support + 0.5));
    exact.clear();
    double sum = 0;
    for (int i = begin; i < end; ++i) {
      exact.push_back(filter.weight((i - centre + 0.5) * (1.0 / stretch)));
      sum += exact.back();
    }
    taps.begin[x] = begin;
    taps.count[x] = end - begin;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      const double weight = (sum != 0.0 ? exact[i] / sum : exact[i]) * (1 << fraction_bits);
      taps.weights[x * static_cast<std::size_t>(taps.stride) + i] =
          static_cast<std::int32_t>(weight < 0 ? weight - 0.5 : weight + 0.5);
    }
  }
  return taps;
}

// One output value: the pixels from `from`, `step` apart, weighed.
std::uint8_t weigh(const std::uint8_t* from, std::size_t step, const std::int32_t* weights, int count) {
  std::int32_t sum = 1 << (fraction_bits - 1);
  for (int i = 0; i < count; ++i, from += step) sum += *from * weights[i];
  return static_cast<std::uint8_t>(std::clamp(sum >> fraction_bits, 0, 255));
}

Image resize_rows(const Image& image, int width, const Filter& filter) {
  const Taps taps = make_taps(image.width, width, filter);
  const auto in_row = static_cast<std::size_t>(image.width) * 3;
  const auto out_row = static_cast<std::size_t>(width) * 3;
  Image out{width, image.height, std::vector<std::uint8_t>(out_row * static_cast<std::size_t>(image.height))};
  parallel_for(image.height, 16, [&](std::int64_t begin, std::int64_t end) {
    for (auto y = static_cast<std::size_t>(begin); y < static_cast<std::size_t>(end); ++y)
      for (std::size_t x = 0; x < static_cast<std::size_t>(width); ++x) {
        const auto* from = image.rgb.data() + y * in_row + static_cast<std::size_t>(taps.begin[x]) * 3;
        const auto* weights = taps.weights.data() + x * static_cast<std::size_t>(taps.stride);
        for (std::size_t c = 0; c < 3; ++c)
          out.rgb[y * out_row + x * 3 + c] = weigh(from + c, 3, weights, taps.count[x]);
      }
  });
  return out;
}

Image resize_columns(const Image& image, int height, const Filter& filter) {
  const Taps taps = make_taps(image.height, height, filter);
  const auto row = static_cast<std::size_t>(image.width) * 3;
  Image out{image.width, height, std::vector<std::uint8_t>(row * static_cast<std::size_t>(height))};
  parallel_for(height, 4, [&](std::int64_t begin, std::int64_t end) {
    for (auto y = static_cast<std::size_t>(begin); y < static_cast<std::size_t>(end); ++y) {
      const auto* from = image.rgb.data() + static_cast<std::size_t>(taps.begin[y]) * row;
      const auto* weights = taps.weights.data() + y * static_cast<std::size_t>(taps.stride);
      for (std::size_t x = 0; x < row; ++x)
        out.rgb[y * row + x] = weigh(from + x, row, weights, taps.count[y]);
    }
  });
  return out;
}

// Steps are added up rather than multiplied, because PIL does so and the last bit decides.
std::vector<std::size_t> nearest_positions(int in, int out) {
  std::vector<std::size_t> positions;
  const double step = static_cast<double>(in) / out;
  double at = step * 0.5;
  for (int x = 0; x < out; ++x, at += step)
    positions.push_back(static_cast<std::size_t>(std::min(static_cast<int>(at), in - 1)));
  return positions;
}

Image resize_nearest(const Image& image, int width, int height) {
  const auto columns = nearest_positions(image.width, width);
  const auto rows = nearest_positions(image.height, height);
  Image out{width, height, {}};
  out.rgb.reserve(columns.size() * rows.size() * 3);
  for (const std::size_t y : rows)
    for (const std::size_t x : columns) {
      const auto* from = image.rgb.data() + (y * static_cast<std::size_t>(image.width) + x) * 3;
      out.rgb.insert(out.rgb.end(), from, from + 3);
    }
  return out;
}

}  // namespace

Image resize(const Image& image, int width, int height, Resample resample) {
  if (width < 1 || height < 1 || image.width < 1 || image.height < 1 ||
      std::int64_t{width} * std::max(height, image.height) > max_between)
    throw InputError(fmt::format(
        "resize: expected sizes from 1 pixel and at most {} pixels on the way, found {} x {} to {} x {}",
        max_between, image.width, image.height, width, height));
  if (width == image.width && height == image.height) return image;
  if (resample == Resample::Nearest) return resize_nearest(image, width, height);
  const Filter filter = filter_of(resample);
  if (height == image.height) return resize_rows(image, width, filter);
  if (width == image.width) return resize_columns(image, height, filter);
  const bool columns_first = image.height > height && image.height - height > 2 * (image.width - width);
  if (columns_first) return resize_rows(resize_columns(image, height, filter), width, filter);
  return resize_columns(resize_rows(image, width, filter), height, filter);
}

}  // namespace headwater
