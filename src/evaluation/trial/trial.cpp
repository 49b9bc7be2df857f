#include "evaluation/trial/trial.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/random.h"

namespace headwater {

namespace {

double measured(double score) {
  return std::isfinite(score) ? score : 0;
}

// Between which cells a pixel lies, and how far from the first: u = (p + ½) cells/pixels − ½.
struct Neighbours {
  std::size_t low, high;
  double share;
};

Neighbours neighbours_of(int pixel, int pixels, int cells) {
  const double u = std::clamp((pixel + 0.5) * cells / pixels - 0.5, 0.0, static_cast<double>(cells - 1));
  const auto low = static_cast<std::size_t>(u);
  return {low, std::min(low + 1, static_cast<std::size_t>(cells - 1)), u - static_cast<double>(low)};
}

}  // namespace

std::vector<double> unit_scores(std::span<const double> row, const Sample& sample) {
  std::vector<double> scores;
  for (const std::vector<int>& unit : sample.units) {
    double sum = 0;
    for (const int t : unit) sum += measured(row[static_cast<std::size_t>(t)]);
    scores.push_back(sum);
  }
  return scores;
}

std::vector<double> word_scores(std::span<const double> row, const Sample& sample) {
  std::vector<double> scores(sample.words.size(), -std::numeric_limits<double>::infinity());
  for (std::size_t t = 0; t < sample.tokens.size() && t < row.size(); ++t) {
    const Unit& token = sample.tokens[t];
    if (token.special || token.target || token.segment != 0) continue;
    for (std::size_t w = 0; w < scores.size(); ++w)
      if (token.begin < sample.words[w].end && token.end > sample.words[w].begin)
        scores[w] = std::max(scores[w], measured(row[t]));
  }
  return scores;
}

std::vector<double> pixel_scores(std::span<const double> row, const Sample& sample) {
  const auto cell = [&](std::size_t y, std::size_t x) {
    return measured(row[sample.prefix + y * static_cast<std::size_t>(sample.grid_width) + x]);
  };
  std::vector<double> map;
  map.reserve(static_cast<std::size_t>(sample.width) * static_cast<std::size_t>(sample.height));
  for (int y = 0; y < sample.height; ++y) {
    const Neighbours v = neighbours_of(y, sample.height, sample.grid_height);
    for (int x = 0; x < sample.width; ++x) {
      const Neighbours h = neighbours_of(x, sample.width, sample.grid_width);
      const double above = cell(v.low, h.low) * (1 - h.share) + cell(v.low, h.high) * h.share;
      const double below = cell(v.high, h.low) * (1 - h.share) + cell(v.high, h.high) * h.share;
      map.push_back(above * (1 - v.share) + below * v.share);
    }
  }
  if (map.empty()) return map;
  const auto [least, most] = std::minmax_element(map.begin(), map.end());
  const double low = *least, range = *most - low;
  for (double& value : map) value = range > 0 ? (value - low) / range : 0;
  return map;
}

double largest_change(std::span<const double> a, std::span<const double> b) {
  double change = 0, size = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    change = std::max(change, std::abs(a[i] - b[i]));
    size = std::max(size, std::abs(a[i]));
  }
  return change > 0 ? change / size : 0;  // out of nothing: infinite
}

std::vector<double> random_row(const Sample& sample, std::size_t tokens, std::uint64_t again) {
  std::vector<double> row(tokens);
  const std::uint64_t seed = random_stream(sample.seed, "random explanation") + again;
  for (std::size_t t = 0; t < tokens; ++t)
    row[t] = random_uniform(seed, (static_cast<std::uint64_t>(sample.number) << 20U) + t);
  return row;
}

}  // namespace headwater
