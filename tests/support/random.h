// Repeatable random tensors for tests.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <headwater/tensor.h>

namespace headwater::testing {

// Normal numbers in float64 (rounded if another type is asked for); the same seed gives the same numbers.
inline Tensor random_tensor(const Shape& shape, std::uint32_t seed, DType dtype = DType::Float64,
                            double scale = 1) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal(0, scale);
  std::vector<double> values(static_cast<std::size_t>(shape.elements()));
  for (double& v : values) v = normal(generator);
  return Tensor::of(shape, values, dtype);
}

inline double largest_difference(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape()) return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (Index i = 0; i < a.size(); ++i) {
    const double difference = std::abs(a.at(i) - b.at(i));
    worst = difference <= worst ? worst : difference;  // a NaN is the worst of all
  }
  return worst;
}

inline double dot(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (Index i = 0; i < a.size(); ++i) sum += a.at(i) * b.at(i);
  return sum;
}

}  // namespace headwater::testing
