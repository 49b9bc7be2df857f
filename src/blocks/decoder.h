// What the causal families' heads share.
#pragma once

#include "blocks/cache.h"
#include "blocks/describe.h"
#include "blocks/read.h"
#include "blocks/transformer.h"

namespace headwater {

// Language model tied to `words` or not, last-token classifier, token classifier (a tensor of this name),
// question answering.
Head read_decoder_head(const Checkpoint& c, const ModelInfo& info, const Tensor& words, bool tied_by_default,
                       const std::string& token_classifier);

}  // namespace headwater
