// Orthonormal blocks by Gram-Schmidt on Gaussian columns; leading directions of samples Y by subspace
// iteration, Q ← orth(Y Yᵀ Q), from the first samples.
#include "methods/hidden_token_attribution/probes.h"

#include <algorithm>
#include <numeric>

#include "kernels/kernels.h"
#include "numerics/dense.h"
#include "numerics/random.h"

namespace headwater {

namespace {

// Different uses of one seed draw from different streams.
constexpr std::uint64_t probe_stream = 1, half_stream = 2;

Directions directions_of(const Dense& columns) {
  const Dense rows = orthonormal_columns(columns).transposed();
  Directions all;
  for (Index k = 0; k < rows.rows; ++k) all.emplace_back(rows.row(k), rows.row(k) + rows.cols);
  return all;
}

Dense dense_product(const Dense& a, const Dense& b) {
  Dense c(a.rows, b.cols);
  kernels::gemm<double>({.m = a.rows, .n = b.cols, .k = a.cols}, a.values.data(), b.values.data(),
                        c.values.data());
  return c;
}

}  // namespace

Directions random_directions(std::uint64_t seed, Index token, Index width, Index count,
                             const Directions& taken) {
  Dense columns(width, static_cast<Index>(taken.size()) + count);
  Index at = 0;
  for (const std::vector<double>& q : taken) {
    for (Index c = 0; c < width; ++c) columns(c, at) = q[as_size(c)];
    ++at;
  }
  for (Index p = 0; p < count; ++p, ++at) {
    KeyedNormals normal(seed,
                        {probe_stream, static_cast<std::uint64_t>(token), static_cast<std::uint64_t>(p)});
    for (Index c = 0; c < width; ++c) columns(c, at) = normal.next();
  }
  Directions all = directions_of(columns);
  return {all.begin() + static_cast<std::ptrdiff_t>(taken.size()), all.end()};
}

Directions leading_directions(const std::vector<std::vector<float>>& samples, Index width, Index count) {
  constexpr int iterations = 6;
  const auto n = static_cast<Index>(samples.size());
  if (n == 0 || count == 0) return {};
  Dense rows(n, width);
  for (Index s = 0; s < n; ++s)
    std::copy(samples[as_size(s)].begin(), samples[as_size(s)].end(), rows.row(s));
  const Dense y = rows.transposed();
  Dense leading = orthonormal_columns(y.left(std::min(count, n)));
  for (int step = 0; step < iterations && leading.cols > 0; ++step)
    leading = orthonormal_columns(dense_product(y, dense_product(rows, leading)));
  return directions_of(leading);
}

std::vector<bool> random_half(std::uint64_t seed, std::uint64_t pass, Index count) {
  KeyedNormals stream(seed, {half_stream, pass});
  std::vector<Index> order(as_size(count));
  std::iota(order.begin(), order.end(), Index{0});
  std::vector<bool> half(order.size());
  for (std::size_t k = 0; k < order.size() / 2; ++k) {  // the first half of a shuffle
    std::swap(order[k], order[k + as_size(stream.bits() % (order.size() - k))]);
    half[as_size(order[k])] = true;
  }
  return half;
}

}  // namespace headwater
