// Fixed point. With s the sum of a row and s* the largest of all rows,
//
//   unit = 2^(40 − ⌊log2 s*⌋),   c_j = round(a_j · unit),   c_argmax += round(s · unit) − Σ_j c_j
//
// and s = 1 for rows that miss 1 by rounding only, whose cells are divided by their sum first. At most half a
// unit per cell is moved, so a flow errs by less than T units per layer it crosses, about 1e-12 each.
#include "numerics/capacities.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <headwater/error.h>

namespace headwater {

namespace {

constexpr double stochastic_within = 1e-5;
constexpr int fraction_bits = 40;

double row_sum(const double* row, Index T) {
  return std::accumulate(row, row + T, 0.0);
}

void check(const Tensor& maps) {
  if (maps.rank() != 3 || maps.dim(0) < 1 || maps.dim(1) < 1 || maps.dim(1) != maps.dim(2))
    throw InputError(fmt::format("attention flow: expected maps [L, T, T], found {}",
                                 maps.rank() == 0 ? "none" : maps.shape().str()));
}

// The largest row sum, after every cell was looked at.
double largest_row_sum(const std::vector<double>& cells, Index L, Index T) {
  double largest = 0;
  for (Index r = 0; r < L * T; ++r) {
    const double* row = cells.data() + r * T;
    for (Index j = 0; j < T; ++j)
      if (!(row[j] >= 0) || std::isinf(row[j]))
        throw InputError(
            fmt::format("attention flow: expected finite weights >= 0, found {} in layer {}, row {}, "
                        "column {}; give cells a mask forbids as 0",
                        row[j], r / T, r % T, j));
    largest = std::max(largest, row_sum(row, T));
  }
  if (std::isinf(largest))
    throw InputError("attention flow: expected rows with a finite sum, found one beyond the largest number");
  return largest;
}

void fix_row(const double* row, Index T, double unit, FlowUnits* to, FlowUnits& total) {
  const double sum = row_sum(row, T);
  const bool stochastic = std::abs(sum - 1) <= stochastic_within;
  const double factor = stochastic ? unit / sum : unit;
  for (Index j = 0; j < T; ++j) to[j] = std::llround(row[j] * factor);
  total = stochastic ? std::llround(unit) : std::llround(sum * unit);
  FlowUnits& largest = *std::max_element(to, to + T);
  largest += total - std::accumulate(to, to + T, FlowUnits{0});
  if (largest < 0) {  // only a row of cells below one unit each
    largest = 0;
    total = std::accumulate(to, to + T, FlowUnits{0});
  }
}

}  // namespace

Capacities capacities_of(const Tensor& maps) {
  check(maps);
  Capacities c{.L = maps.dim(0), .T = maps.dim(1)};
  const std::vector<double> cells = maps.to_doubles();
  const double largest = largest_row_sum(cells, c.L, c.T) * (1 + 2 * stochastic_within);
  // Sums of columns stay below 2^53 for every T that fits in memory; powers of two keep scaling exact.
  c.unit = std::ldexp(1.0, largest > 0 ? fraction_bits - std::ilogb(largest) : fraction_bits);
  if (std::isinf(c.unit)) c.unit = std::ldexp(1.0, 1023);
  c.arcs.resize(cells.size());
  c.row_sums.resize(as_size(c.L * c.T));
  for (Index r = 0; r < c.L * c.T; ++r)
    fix_row(cells.data() + r * c.T, c.T, c.unit, c.arcs.data() + r * c.T, c.row_sums[as_size(r)]);
  return c;
}

}  // namespace headwater
