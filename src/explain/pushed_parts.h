// What each token adds to what an attention block writes, by a push: for blocks of any wiring.
// attention_parts.h has the same for plain blocks without making the vectors; a law holds the two equal.
#pragma once

#include <functional>

#include "study/attentions.h"
#include "study/study.h"

namespace headwater {

// Which parts, and where they are looked at. At AttnOut: f_ij, what attention makes of token j's values,
// biases of the value product included. At ResidMid and ResidPost token j's residual path is in it too, norms
// hold their scale, patterns are given, and the feed-forward part adds nothing (GlobEnc's reading). Of
// attention to another stack the residual path belongs to no token that is read, and is a part of its own.
struct PartsWanted {
  int layer;
  Site at;        // of self-attention AttnOut, ResidMid or ResidPost; of another kind its `out` or `after`
  int head = -1;  // of one head alone, at AttnOut; −1: all
  AttentionKind kind = {};
};

// [count, 1, T, W]: part k holds row begin + k of x [1, T, W] alone.
Tensor one_row_each(const Tensor& x, Index begin, Index count);

// f(j, parts) for every token j, parts [T, D] in the working type; as many tokens are pushed together as the
// study's scratch holds.
void for_pushed_parts(const Study& study, const PartsWanted& wanted,
                      const std::function<void(Index token, const Tensor& parts)>& f);

// What the residual path brings to where the parts are looked at, past attention to another stack: [T, D].
Tensor pushed_residual(const Study& study, const PartsWanted& wanted);

// The least a push of parts works in; nothing where every block is a plain one.
std::size_t pushed_bytes(const ModelInfo& info, Index tokens);

}  // namespace headwater
