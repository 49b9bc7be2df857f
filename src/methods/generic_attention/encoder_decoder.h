// Generic attention over an encoder and a decoder that reads it.
#pragma once

#include "study/study.h"

namespace headwater {

// Fills in a score per unit of source and prefix, and the maps they were read from: "encoder",
// "decoder_to_source", "decoder_to_prefix".
void explain_encoder_decoder(Attribution& result, const Study& study);

}  // namespace headwater
