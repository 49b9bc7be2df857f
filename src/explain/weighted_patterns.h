// What methods share that weight the patterns of the blocks and read the row that the task head reads.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <headwater/report.h>

#include "study/study.h"

namespace headwater {

// The mean over heads of max(0, a ⊙ b), or of max(0, a) if b is empty: [1, H, T, T] → T × T, row-major.
std::vector<double> positive_mean(const Tensor& a, const Tensor& b = {});

enum class RowSums { Kept, One };  // row sums of I + map before the product
// The mean over `rows` of the rows of B_{L−1} … B_1 B_0, B_l = I + maps[l].
std::vector<double> read_through(const std::vector<std::vector<double>>& maps, std::span<const Index> rows,
                                 Index tokens, RowSums sums);
// The mean over `rows` of the rows of one map.
std::vector<double> mean_row(const std::vector<double>& map, std::span<const Index> rows, Index tokens);

enum class OwnColumn { Zero, Smallest };  // the value shown for the rows' own tokens in a text
// Sets scores and axes: one number per token of a text, or per patch of an image (tokens before the first
// patch are left out), none negative. The whole row goes into the detail "row".
void put_row(Attribution& result, const Study& study, const std::vector<double>& row,
             std::span<const Index> rows, OwnColumn own);

// Sets some cells of the row to this value: those of the tokens that read, whose own weight is not shown.
std::vector<double> with_cells(std::vector<double> row, std::span<const Index> cells, double value);

// Gradients of the target's logit at the patterns of the layers from `start` on: [1, H, T, T] each, by
// layer; empty below `start`.
std::vector<Tensor> pattern_gradients(const Study& study, int start);

// The central difference (f(1 + h) − f(1 − h)) / 2h, where f is a function of the logits and some values of a
// place are scaled by 1 ± h: two forward runs.
using OfLogits = std::function<double(const Tensor& logits)>;
struct Scaled {
  Place at;
  Index begin, count;  // which of the values
};
double scaled_difference(const Study& study, const Scaled& part, double h, const OfLogits& f);

// Compares a central difference of the target's logit, as the pattern at a place grows by a common factor,
// with Σ G ⊙ A: two forward runs. `gradient` as above.
Check check_pattern_gradient(const Study& study, const Tensor& gradient, Place at);

// Bytes of a pull to patterns, of its check and of rows_read, beyond the run and the gradients.
std::size_t pattern_gradient_bytes(const ModelInfo& info, Index tokens);

}  // namespace headwater
