// Values of a padded run, for recipes that were published on padded batches. Nothing else in this program
// pads.
#pragma once

#include <vector>

#include "study/study.h"

namespace headwater {

// The values [tokens, G·E] of every layer, of the text followed by padding tokens up to `length`. No token
// reads a padding token, so the text's own values are those of the unpadded run. Throws InputError where the
// vocabulary has no padding token, Unsupported for causal and image models.
std::vector<Tensor> padded_values(const Study& study, Index length);

}  // namespace headwater
