// What the causal families' heads share.
#pragma once

#include "blocks/cache.h"
#include "blocks/describe.h"
#include "blocks/read.h"
#include "blocks/transformer.h"

namespace headwater {

// The tensor names of a causal family's heads.
struct DecoderHeadNames {
  std::string token_classifier;  // "classifier", or "score"
};

// Language model tied to `words` or not, last-token classifier, token classifier, question answering.
Head read_decoder_head(const Checkpoint& c, const ModelInfo& info, const Tensor& words, bool tied_by_default,
                       const DecoderHeadNames& names);

}  // namespace headwater
