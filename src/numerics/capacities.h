// Capacities: the mixing maps of L layers as whole numbers, so that a flow through them is exact.
//
// A cell a becomes round(a · unit), unit = 2^40 for maps whose largest row sum lies in [1, 2) (another power
// of two otherwise), and what rounding lost is put back on the row's largest cell: a row keeps its total.
// Rows whose sum is 1 within 1e-5, which is what attention in float32 leaves, are divided by it and then sum
// to `unit` exactly. Sums of capacities stay below 2^53, so they are exact in double too.
#pragma once

#include <cstdint>
#include <vector>

#include <headwater/tensor.h>

#include "base/as_size.h"

namespace headwater {

using FlowUnits = std::int64_t;  // a capacity, or an amount of flow

struct Capacities {
  Index L = 0, T = 0;
  double unit = 1;                  // how many units make 1
  std::vector<FlowUnits> arcs;      // [L, T, T]: from the row's token above layer l to the column's below it
  std::vector<FlowUnits> row_sums;  // [L, T]

  const FlowUnits* row(Index l, Index k) const { return arcs.data() + (l * T + k) * T; }
  FlowUnits row_sum(Index l, Index k) const { return row_sums[as_size(l * T + k)]; }
};

// maps [L, T, T], float32 or float64. Throws InputError on another shape, and on a cell that is negative or
// not a finite number.
Capacities capacities_of(const Tensor& maps);

}  // namespace headwater
