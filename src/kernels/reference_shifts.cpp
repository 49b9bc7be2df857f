// The differences of shifts.h as what they are: the changed value minus the old one, in double.
#include <cmath>
#include <vector>

#include "kernels/reference.h"

namespace headwater::kernels::reference {

namespace {

template <class R>
double part_sum(const R* p, const R* k, Index row, Index column, Index parts, Index stride) {
  double sum = 0;
  for (Index h = 0; h < parts; ++h)
    sum += static_cast<double>(p[row * parts + h]) * static_cast<double>(k[h * stride + column]);
  return sum;
}

template <class R>
double hidden(const HiddenRows<R>& map, const HiddenWhere<R>& at, Index row, Index column) {
  const double e = static_cast<double>(map.e[row * at.n + column]);
  return static_cast<double>(at.s[row]) * (e - part_sum(at.p, map.k, row, column, at.parts, map.stride)) +
         static_cast<double>(map.c[column]);
}

double length_of(const std::vector<double>& x) {
  double sum = 0;
  for (const double v : x) sum += v * v;
  return std::sqrt(sum);
}

}  // namespace

template <class R>
void remove_parts(const R* p, const R* u, R* q, Index rows, Index parts, Index n) noexcept {
  for (Index r = 0; r < rows; ++r)
    for (Index i = 0; i < n; ++i) q[r * n + i] = static_cast<R>(-part_sum(p, u, r, i, parts, n));
}

template <class R>
void norm_shift(const NormRows<R>& at, const R* q, R* d, R* inverse, Index rows, Index n) noexcept {
  for (Index r = 0; r < rows; ++r) {
    std::vector<double> x(static_cast<std::size_t>(n));
    double mean = 0, square = 0;
    for (Index i = 0; i < n; ++i) {
      x[static_cast<std::size_t>(i)] =
          static_cast<double>(at.t[r * n + i]) + static_cast<double>(q[r * n + i]);
      mean += x[static_cast<std::size_t>(i)] / static_cast<double>(n);
    }
    for (double& v : x) {
      if (at.centred) v -= mean;
      square += v * v / static_cast<double>(n);
    }
    const double sigma = std::sqrt(square + at.eps);
    if (inverse != nullptr) inverse[r] = static_cast<R>(1 / sigma);
    for (Index i = 0; d != nullptr && i < n; ++i) {
      const double before = static_cast<double>(at.t[r * n + i]) * static_cast<double>(at.inverse[r]);
      d[r * n + i] = static_cast<R>(static_cast<double>(at.gamma[i]) *
                                    (x[static_cast<std::size_t>(i)] / sigma - before));
    }
  }
}

template <class R>
void hidden_shift(Activation f, const HiddenRows<R>& up, const HiddenRows<R>* gate, const HiddenWhere<R>& at,
                  const R* base, R* d) noexcept {
  for (Index r = 0; r < at.rows; ++r)
    for (Index i = at.begin; i < at.end; ++i) {
      const double straight = hidden(up, at, r, i),
                   bent = gate == nullptr ? straight : hidden(*gate, at, r, i);
      double y = 0;
      reference::activate<double>(f, &bent, &y, 1);
      if (gate != nullptr) y *= straight;
      d[r * at.n + i] = static_cast<R>(y - (base == nullptr ? 0.0 : static_cast<double>(base[r * at.n + i])));
    }
}

template <class R>
void cosine_shift(const R* x, const R*, const R* d, R* distance, Index rows, Index n) noexcept {
  for (Index r = 0; r < rows; ++r, x += n, d += n) {
    std::vector<double> before(x, x + n), now(before);
    for (Index i = 0; i < n; ++i) now[static_cast<std::size_t>(i)] += static_cast<double>(d[i]);
    const double a = length_of(before), b = length_of(now);
    for (std::size_t i = 0; i < now.size(); ++i) now[i] = now[i] / b - before[i] / a;
    const double gap = length_of(now);
    distance[r] = a == 0 || b == 0 ? (a == b ? R{0} : R{1}) : static_cast<R>(gap * gap / 2);
  }
}

template void remove_parts(const float*, const float*, float*, Index, Index, Index) noexcept;
template void remove_parts(const double*, const double*, double*, Index, Index, Index) noexcept;
template void norm_shift(const NormRows<float>&, const float*, float*, float*, Index, Index) noexcept;
template void norm_shift(const NormRows<double>&, const double*, double*, double*, Index, Index) noexcept;
template void hidden_shift(Activation, const HiddenRows<float>&, const HiddenRows<float>*,
                           const HiddenWhere<float>&, const float*, float*) noexcept;
template void hidden_shift(Activation, const HiddenRows<double>&, const HiddenRows<double>*,
                           const HiddenWhere<double>&, const double*, double*) noexcept;
template void cosine_shift(const float*, const float*, const float*, float*, Index, Index) noexcept;
template void cosine_shift(const double*, const double*, const double*, double*, Index, Index) noexcept;

}  // namespace headwater::kernels::reference
