// The norm family: how long the vector is that token j adds to what is written at token i, measured after
// attention, the residual path, the norm after it, or the norm after the feed-forward part (norms.cpp).
#pragma once

#include <headwater/report.h>

#include "study/attentions.h"
#include "study/study.h"

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
// null. Without a kind: the model's only one.
struct NormsBeside {
  double *ratios = nullptr, *residual = nullptr;  // [T]
};
std::vector<double> pushed_norms(const Study& study, const NormRequest& request, const AttentionKind& kind,
                                 int layer, NormsBeside beside);
std::vector<double> pushed_norms(const Study& study, const NormRequest& request, int layer, double* ratios);

// The reason why a method of a norm after the residual sum means nothing for this model, or empty.
std::string lacks_post_norm(std::string_view method, const ModelInfo& info);

// What the raw numbers were before any row was divided: "raw row sums lie between …".
std::string row_sums_note(double smallest, double largest, Index empty);

}  // namespace headwater
