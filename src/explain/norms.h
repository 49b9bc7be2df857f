// The norm family: how long the vector is that token j adds to what is written at token i, measured after
// attention, the residual path, the norm after it, or the norm after the feed-forward part (norms.cpp).
#pragma once

#include <limits>
#include <span>

#include <headwater/report.h>

#include "explain/attention_parts.h"

namespace headwater {

enum class NormStage {
  Attention,      // ‖f_ij‖
  Residual,       // ‖R_ij‖
  AttentionNorm,  // ‖N1(R_ij)‖ / s_i
  Block,          // ‖N2(N1(R_ij))‖ / (s_i s'_i)
};

struct NormRequest {
  std::string_view method;
  NormStage stage;
  bool each_head = false;       // α^h_ij ‖u^h_j‖ of every head; NormStage::Attention only
  bool normalise_rows = false;  // rows divided by their sum
};

// Scores [L, T, T], or [L, H, T, T], of every kind of attention; checks, notes, and after the residual path
// the detail "mixing_ratio". The residual path of attention to another stack is no token that is read: the
// detail "cross_residual" has it, ‖x_i‖ or its share of the row.
// Throws Unsupported for models without blocks, and for stages after a norm that a pre-norm model has not.
Attribution norm_attribution(const Study& study, const NormRequest& request);
std::size_t norm_bytes(const ModelInfo& info, Index tokens, const NormRequest& request);
std::vector<Site> norm_sites(NormStage stage);

// The same for one layer as for a block of any wiring, from the vectors themselves: [T, S], or [H, T, S]. The
// mixing ratio of every row goes to `ratios`, and past attention to another stack ‖x_i‖ to `residual`, unless
// empty.
struct NormsBeside {
  std::span<double> ratios, residual;  // [T]
};
std::vector<double> pushed_norms(const Study& study, const NormRequest& request, const AttentionKind& kind,
                                 int layer, NormsBeside beside);

// The reason why a method of a norm after the residual sum means nothing for this model, or empty.
std::string lacks_post_norm(std::string_view method, const ModelInfo& info);

// What methods that measure parts of attention's output gather over the layers, and say of it in the end.
struct PartTotals {
  explicit PartTotals(DType dtype) : sums(dtype) {}
  // The rows of a map before they are divided; how many of them are without any weight.
  Index see_rows(const std::vector<double>& map, Index keys);
  // Checks and notes of the maps: of their rows if these were divided (cross-attention's with the detail
  // "residual" beside them), and where a shortcut was taken that the parts add up and, under this name, that
  // it equals plain vectors.
  struct Shortcut {
    std::string name;  // empty: not measured
    double bound = 0;
  };
  void conclude(Attribution& result, const std::vector<AttentionKind>& kinds, bool divided,
                const Shortcut& shortcut) const;

  SumCheck sums;
  double apart = 0;  // of the shortcut from plain vectors
  Index empty = 0;   // rows without any weight
  double smallest = std::numeric_limits<double>::infinity(), largest = 0, peak = 0;  // row sums; any number
};

}  // namespace headwater
