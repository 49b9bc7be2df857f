// What a recorded run is made of, read off its tape: for exact shortcuts that hold for blocks of the usual
// kind only. A block wired in another way is not recognised, and its methods take the walkers' form.
#pragma once

#include <optional>

#include "blocks/transformer.h"

namespace headwater {

// A block as pre_norm_block or post_norm_block records it.
struct PlainBlock {
  BlockWeights weights;
  HeadLayout heads;
  bool pre_norm = false;
  bool plain_scores = false;  // q and k come straight from their products: no rotary positions, no bias
};
std::optional<PlainBlock> plain_block(const Tape& tape, BlockAt at);

// The norm of the stack's output, right after its last block; null if there is none.
const NormWeights* final_norm(const Tape& tape, BlockAt last);

}  // namespace headwater
