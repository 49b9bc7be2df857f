// Repeatable mixing maps of the kinds attention takes.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include <headwater/tensor.h>

namespace headwater::testing {

struct MapKind {
  int heads = 12;        // averaged
  double sharpness = 1;  // of the scores under the softmax
  bool causal = false;
  double residual = 0.5;  // share of the identity
};

// [L, T, T] float64, rows sum to 1: softmax of normal scores with a part common to all queries.
inline Tensor random_maps(Index L, Index T, const MapKind& kind, std::uint32_t seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  Tensor maps = Tensor::zeros({L, T, T}, DType::Float64);
  double* cells = maps.data<double>();
  std::vector<double> weight(static_cast<std::size_t>(T)), common(static_cast<std::size_t>(T));
  for (Index l = 0; l < L; ++l)
    for (int h = 0; h < kind.heads; ++h) {
      for (double& x : common) x = normal(generator) / 2;
      for (Index k = 0; k < T; ++k) {
        const Index keys = kind.causal ? k + 1 : T;
        double sum = 0;
        for (Index j = 0; j < keys; ++j) {
          double& w = weight[static_cast<std::size_t>(j)];
          w = std::exp(kind.sharpness * (normal(generator) + common[static_cast<std::size_t>(j)]));
          sum += w;
        }
        for (Index j = 0; j < keys; ++j)
          cells[(l * T + k) * T + j] +=
              (1 - kind.residual) * weight[static_cast<std::size_t>(j)] / sum / kind.heads;
        if (h == 0) cells[(l * T + k) * T + k] += kind.residual;
      }
    }
  return maps;
}

}  // namespace headwater::testing
