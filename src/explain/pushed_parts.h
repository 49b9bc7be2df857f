// What each token adds to the output of an attention block, by a push, for blocks of any wiring.
// attention_parts.h computes the same for plain blocks without making the vectors; a law compares the two.
#pragma once

#include <functional>

#include "study/attentions.h"
#include "study/study.h"

namespace headwater {

// Which parts, and where they are measured. At AttnOut a part is f_ij: what attention makes of token j's
// values, including the biases of the value product. At ResidMid and ResidPost a part also contains token j's
// residual path; norms keep their scale, patterns are constant, and the feed-forward layer adds nothing
// (GlobEnc's reading). In cross-attention the residual path belongs to no token that is read and is a part of
// its own.
struct PartsWanted {
  int layer;
  Site at;        // self-attention: AttnOut, ResidMid or ResidPost; another kind: its `out` or `after`
  int head = -1;  // one head alone, at AttnOut; −1: all heads
  AttentionKind kind = {};
};

// [count, 1, T, W]: part k holds row begin + k of x [1, T, W] alone.
Tensor one_row_each(const Tensor& x, Index begin, Index count);

// Calls f(j, parts) for every token j, with parts [T, D] in the working type. As many tokens are pushed
// together as fit into the study's scratch.
void for_pushed_parts(const Study& study, const PartsWanted& wanted,
                      const std::function<void(Index token, const Tensor& parts)>& f);

// The part of the residual path at that place, in cross-attention: [T, D].
Tensor pushed_residual(const Study& study, const PartsWanted& wanted);

// The least memory that a push of parts needs; 0 if every block is a plain one.
std::size_t pushed_bytes(const ModelInfo& info, Index tokens);

}  // namespace headwater
