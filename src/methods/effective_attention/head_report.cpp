// Which other attention A' would have written the same (T queries, S keys, head width E, values V):
//
//   level 0   any real matrix                       S − rank V free dimensions in a row
//   level 1   rows that sum to 1                    S − rank [V, 1]
//   level 2   rows without negative weights         as level 1: softmax is strictly positive
//   level 3   softmax(Q'K'ᵀ) with E-wide Q', K'     max(0, e(T + S − e − 1) − T rank V) in the map,
//                                                   e = min(E, T, S − 1)
//
// and how the effective map differs from the raw one: null energy |A − A⊥| / |A| in Frobenius norms,
// Pearson's correlation over all cells a mask allows, the negative weights of a row, the mean row sum.
#include "methods/effective_attention/head_report.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "explain/kind_maps.h"
#include "kernels/kernels.h"
#include "numerics/length.h"

namespace headwater {

namespace {

constexpr Index rows_in_a_pass = 64;

// Sums over the cells of a pair of maps.
struct Sums {
  double n = 0, a = 0, x = 0, aa = 0, xx = 0, ax = 0, difference = 0, negative = 0;

  void add(double raw, double effective) {
    n += 1;
    a += raw;
    x += effective;
    aa += raw * raw;
    xx += effective * effective;
    ax += raw * effective;
    difference += (effective - raw) * (effective - raw);
    negative += std::max(0.0, -effective);
  }
  double pearson() const {
    if (difference == 0) return 1;
    const double between = ax - a * x / n, of_raw = aa - a * a / n, of_effective = xx - x * x / n;
    if (of_raw <= 0 || of_effective <= 0) return std::numeric_limits<double>::quiet_NaN();
    return between / std::sqrt(of_raw * of_effective);
  }
};

}  // namespace

HeadReport::HeadReport(const AttentionKind& kind, const Sizes& sizes) : kind_(kind), size_(sizes) {
  for (const char* name : {"rank", "nullity_L0", "nullity_L1", "free_dimensions_L3", "kappa", "null_energy",
                           "pearson", "negative_mass", "row_sum", "output_error"})
    tables_.push_back(
        {name, {Axis::Layer, Axis::Head}, Tensor::zeros({kind.layers, kind.heads}, DType::Float64)});
  for (const char* name : {"received_raw", "received_effective"})
    tables_.push_back({name,
                       {Axis::Layer, Axis::Head, {Axis::Key, kind.keys}},
                       Tensor::zeros({kind.layers, kind.heads, sizes.keys}, DType::Float64)});
}

double& HeadReport::at(std::string_view table, Index layer, Index head) {
  Tensor values = map_named(tables_, table)->values;  // shares the numbers
  return values.data<double>()[(layer * kind_.heads + head) * (values.rank() == 2 ? 1 : size_.keys)];
}

void HeadReport::space(Index layer, Index head, Index rank, Index rank_with_ones, double kappa) {
  const Index T = size_.queries, S = size_.keys, e = std::min({size_.width, T, S - 1});
  at("rank", layer, head) = static_cast<double>(rank);
  at("nullity_L0", layer, head) = static_cast<double>(S - rank);
  at("nullity_L1", layer, head) = static_cast<double>(S - rank_with_ones);
  at("free_dimensions_L3", layer, head) =
      static_cast<double>(std::max<Index>(0, e * (T + S - e - 1) - T * rank));
  at("kappa", layer, head) = kappa;
}

template <class R>
void HeadReport::maps(Index layer, Index head, const R* raw, const R* effective, const double* values,
                      Index width) {
  const Index T = size_.queries, S = size_.keys;
  Sums sums;
  double missed = 0, written = 0;
  double *got_raw = &at("received_raw", layer, head), *got_effective = &at("received_effective", layer, head);
  for (Index row0 = 0; row0 < T; row0 += rows_in_a_pass) {
    const Index rows = std::min(rows_in_a_pass, T - row0);
    const auto cells = as_size(rows * S);
    std::vector<double> a(cells), difference(cells), out(as_size(rows * width));
    for (std::size_t cell = 0; cell < cells; ++cell) {
      const Index flat = row0 * S + static_cast<Index>(cell), key = flat % S;
      a[cell] = static_cast<double>(raw[flat]);
      const auto x = static_cast<double>(effective[flat]);
      difference[cell] = x - a[cell];
      got_raw[key] += a[cell] / static_cast<double>(T);
      got_effective[key] += x / static_cast<double>(T);
      if (!kind_.causal || key <= flat / S) sums.add(a[cell], x);
    }
    const kernels::Gemm mix{.m = rows, .n = width, .k = S};
    kernels::gemm<double>(mix, a.data(), values, out.data());
    written += squared_length(out);
    if (squared_length(difference) == 0) continue;
    kernels::gemm<double>(mix, difference.data(), values, out.data());
    missed += squared_length(out);
  }
  at("null_energy", layer, head) = std::sqrt(sums.difference / sums.aa);
  at("pearson", layer, head) = sums.pearson();
  at("negative_mass", layer, head) = sums.negative / static_cast<double>(T);
  at("row_sum", layer, head) = sums.x / static_cast<double>(T);
  at("output_error", layer, head) = missed == 0 ? 0 : std::sqrt(missed / written);
}

template void HeadReport::maps<float>(Index, Index, const float*, const float*, const double*, Index);
template void HeadReport::maps<double>(Index, Index, const double*, const double*, const double*, Index);

double HeadReport::worst_output_error() const {
  double worst = 0;
  for (const double error : map_named(tables_, "output_error")->values.values<double>())
    worst = error <= worst ? worst : error;  // a NaN is the worst of all
  return worst;
}

bool HeadReport::identifiable() const {
  const auto nullity = map_named(tables_, "nullity_L0")->values.values<double>();
  return std::all_of(nullity.begin(), nullity.end(), [](double n) { return n == 0; });
}

std::vector<Map> HeadReport::details() const {
  std::vector<Map> all = tables_;
  if (kind_.causal)  // counted for maps without a mask
    std::erase_if(all, [](const Map& map) { return map.name == "free_dimensions_L3"; });
  for (Map& map : all)
    if (!kind_.name.empty()) map.name = kind_.name + "_" + map.name;
  return all;
}

}  // namespace headwater
