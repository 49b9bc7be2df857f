// Grad-CAM (Selvaraju et al., 2017) carried over to attention, as Chefer, Gur & Wolf (CVPR 2021) compare
// with. At the last block, with G = ∂y/∂A, the heads are its channels:
//
//   text    w_h = mean_ij G_h,ij              M = max(0, mean_h w_h A_h), scaled to 0 … 1 over all cells
//   image   w_h = mean_j G_h,rj over patches  m = max(0, mean_h w_h A_h,r), scaled to 0 … 1 over patches
//
// and of a text the row that the head reads is taken.
#include <algorithm>

#include "explain/checking.h"
#include "explain/weighted_patterns.h"
#include "methods/method.h"
#include "study/map_checks.h"

namespace headwater {

namespace {

// mean_h w_h A_h, clipped at 0, [T, T]; w_h the mean of G_h over rows `rows` (all if empty) from column
// `first`.
std::vector<double> weighted_map(const Tensor& gradient, const Tensor& pattern,
                                 const std::vector<Index>& rows, Index first) {
  const Index H = pattern.dim(1), T = pattern.dim(2);
  std::vector<double> map(as_size(T * T), 0.0);
  for (Index h = 0; h < H; ++h) {
    double sum = 0;
    Index count = 0;
    for (Index i = 0; i < T; ++i) {
      if (!rows.empty() && std::find(rows.begin(), rows.end(), i) == rows.end()) continue;
      for (Index j = first; j < T; ++j, ++count) sum += gradient.at((h * T + i) * T + j);
    }
    const double weight = sum / static_cast<double>(count) / static_cast<double>(H);
    for (Index c = 0; c < T * T; ++c) map[as_size(c)] += weight * pattern.at(h * T * T + c);
  }
  for (double& v : map) v = std::max(0.0, v);
  return map;
}

void scale_to_one(std::vector<double>& values, std::ptrdiff_t first) {
  const auto [low, high] = std::minmax_element(values.begin() + first, values.end());
  const double least = *low, span = *high - *low;
  for (auto v = values.begin() + first; v != values.end(); ++v) *v = span > 0 ? (*v - least) / span : 0;
}

Attribution run(const Study& study, const MethodOptions&) {
  Attribution result;
  const int last = study.info().last().layers - 1;
  const Sequence& sequence = study.sequences().front();
  const bool image = sequence.rows > 0;  // one row of a grid is scaled, of a text the whole map
  const Tensor gradient = pattern_gradients(study, last).back();
  const Tensor pattern = study.run().at(Site::Pattern, last);
  const std::vector<Index> rows = study.rows_read();
  const Index first = image ? sequence.count - sequence.rows * sequence.columns : 0;
  std::vector<double> map = weighted_map(gradient, pattern, image ? rows : std::vector<Index>{}, first);
  const std::vector<double> raw = mean_row(map, rows, study.size());
  if (!image) scale_to_one(map, 0);
  std::vector<double> row = mean_row(map, rows, study.size());
  if (image) scale_to_one(row, first);
  put_row(result, study, row, rows, OwnColumn::Zero);
  result.details.push_back({"unscaled", {Axis::Units}, Tensor::of({study.size()}, raw, study.info().dtype)});
  if (checks_wanted())
    result.checks.push_back(check_pattern_gradient(study, gradient, {Site::Pattern, last}));
  result.notes.push_back(maximum_note(Tensor::of({study.size()}, raw)));
  return result;
}

std::size_t planned_bytes(const ModelInfo& info, Index tokens, const MethodOptions&) {
  const auto T = as_size(tokens);
  return (as_size(info.last().heads) + 3) * T * T * bytes_of(DType::Float64) +
         pattern_gradient_bytes(info, tokens);
}

}  // namespace

extern const Method grad_cam{
    .name = "grad_cam",
    .summary = "The last block's attention, with heads weighted by their mean gradient.",
    .title = "Grad-CAM",
    .formula =
        "w[h] = mean ∂y/∂A[L−1,h];  max(0, meanₕ w[h] A[L−1,h]) scaled to 0 … 1;  the row the head reads",
    .paper = "Selvaraju et al., 2017: Grad-CAM. ICCV; for attention as in Chefer, Gur and Wolf, 2021. CVPR",
    .cost =
        "One forward run and a pull through the task head and the last block; two forward runs to check the "
        "gradient.",
    .limits =
        "It sees only the last block, with one weight per head. The detail \"unscaled\" has the raw numbers.",
    .claims = {.nonnegative = true},
    .needs_target = true,
    .instead = "generic_attention",
    .compute = run,
    .planned_bytes = planned_bytes,
};

}  // namespace headwater
