// The angles of rotary position embeddings, by the config's rope settings.
#pragma once

#include <vector>

#include "blocks/transformer.h"
#include "checkpoint/config.h"

namespace headwater {

// Inverse frequencies, E/2 of them: plain, "linear" or "llama3" scaled. Throws Unsupported for others.
std::vector<double> read_inverse_frequencies(const Config& config, Index head_width);

// cos and sin of position · frequency for `tokens` positions from `first` on, computed in double.
RotaryTables rotary_tables(const std::vector<double>& inverse_frequencies, Index first, Index tokens,
                           DType dtype);

}  // namespace headwater
