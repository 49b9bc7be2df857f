// The norm family: the length of the vector that token j adds to what is written at token i, measured after
// attention, after the residual path, after the norm that follows, or after the norm of the feed-forward part
// (norms.cpp).
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

// Scores [L, T, T], or [L, H, T, T], for every kind of attention, with checks, notes and, from the residual
// stage on, the detail "mixing_ratio". In cross-attention the residual path is not one of the tokens that are
// read: the detail "cross_residual" has it, as ‖x_i‖ or as its share of the row. Throws Unsupported for
// models without blocks, and for stages after a norm that a pre-norm model does not have.
Attribution norm_attribution(const Study& study, const NormRequest& request);
std::size_t norm_bytes(const ModelInfo& info, Index tokens, const NormRequest& request);
std::vector<Site> norm_sites(NormStage stage);

// The same for one layer of any wiring, from the vectors themselves: [T, S], or [H, T, S]. Unless empty,
// `ratios` gets the mixing ratio of every row and, in cross-attention, `residual` gets ‖x_i‖.
struct NormsBeside {
  std::span<double> ratios, residual;  // [T]
};
std::vector<double> pushed_norms(const Study& study, const NormRequest& request, const AttentionKind& kind,
                                 int layer, NormsBeside beside);

// The reason why a method that measures after the norm of the residual sum is undefined for this model, or
// empty.
std::string lacks_post_norm(std::string_view method, const ModelInfo& info);

// What methods that measure parts of attention's output collect over the layers and report at the end.
struct PartTotals {
  explicit PartTotals(DType dtype) : sums(dtype) {}
  // Reads the rows of a map before they are divided; returns how many of them have no weight.
  Index see_rows(const std::vector<double>& map, Index keys);
  // Adds checks and notes of the maps: of their rows if these were divided (in cross-attention together with
  // the detail "residual") and, where a shortcut was taken, that the parts add up and that the shortcut
  // equals plain vectors (under the shortcut's name).
  struct Shortcut {
    std::string name;  // empty: not measured
    double bound = 0;
  };
  void conclude(Attribution& result, const std::vector<AttentionKind>& kinds, bool divided,
                const Shortcut& shortcut) const;

  SumCheck sums;
  double apart = 0;  // distance of the shortcut from plain vectors
  Index empty = 0;   // rows without any weight
  double smallest = std::numeric_limits<double>::infinity(), largest = 0, peak = 0;  // row sums; any number
};

}  // namespace headwater
