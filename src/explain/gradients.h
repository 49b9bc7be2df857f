// Gradients of an objective at the embeddings of the input, at many points in one batch.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <headwater/report.h>

#include "explain/objective.h"
#include "study/study.h"

namespace headwater {

// The place of a gradient: "e0" is the input of the first block (including positions, segments and the
// embedding norm), "embed" the token embeddings alone.
Site input_site(std::string_view name);

// How a gradient [T, D] becomes one number per token.
enum class Reduction {
  L2,      // ‖g‖₂
  Sum,     // Σ_d g, signed
  AbsSum,  // |Σ_d g|
  Max,     // max_d |g|
};
Reduction reduction_of(std::string_view name);  // "l2", "sum", "abs_sum", "max"
std::vector<double> reduce(std::span<const double> gradient, Index tokens, Reduction reduction);
// A warning if sums over the width are only rounding, as they are where every reader of the stream subtracts
// the mean first (pre-norm models with LayerNorm); otherwise empty.
std::string cancelled_sums_note(std::span<const double> gradient, Index tokens, Reduction reduction);

inline constexpr Index busy_tokens = 4096;  // a larger batch makes no product faster
// The bytes that the rows of several tokens need beyond those of one, in every copy of a run.
std::size_t more_target_bytes(const Study& study);
// The number of copies of a run of `bytes` that fit into the study's scratch memory: at least one, and no
// more than keep the matrix products busy.
Index copies_at_once(const Study& study, std::size_t bytes);

// The number of rows of the task head that a run for this method computes: an upper estimate for memory
// plans.
Index objective_rows(const ModelInfo& info, Index tokens);
std::size_t gradient_bytes(const ModelInfo& info, Index tokens);  // of one copy, forward and pull
// Bytes of gradient_of and check_gradient beyond the kept run.
std::size_t one_gradient_bytes(const ModelInfo& info, Index tokens);

// An edit that puts the points [n, T, D] in place: each sequence gets its units where it enters its stack.
std::vector<Edit> put_units(const Study& study, Site at, const Tensor& points);

// The gradient at the study's own input, [T, D] over the units of all sequences, by a pull over its kept run.
Tensor gradient_of(const Study& study, const Objective& objective, Site at);

// F and its gradient at many points. Every point's bits are the same whatever the batch.
struct Points {
  std::vector<double> values;  // [n]
  Tensor gradients;            // [n, T, D]
  double rounding = 0;         // bound for any of the values
};
Points gradients_at(const Study& study, const Objective& objective, Site at, const Tensor& points);
// F alone.
std::vector<double> values_at(const Study& study, const Objective& objective, Site at, const Tensor& points);

// Compares a central difference along the gradient with the slope that the gradient predicts. It takes four
// forward runs, and two more for each shorter step where those were too long. The bound includes what
// rounding can add to the difference.
Check check_gradient(const Study& study, const Objective& objective, Site at, const Tensor& gradient);

}  // namespace headwater
